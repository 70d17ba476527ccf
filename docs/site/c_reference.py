"""The page of the C interface, made of ale.h: its declarations with what its comments say of them.

What it knows of C is how ale.h is written: a section begins with a comment `---- Title ----`; a
comment speaks of the declarations below it, up to the next empty line or comment; a field or an
enumerator is followed by its own.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

HEADER = "libale/include/ale/ale.h"
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
TITLE = re.compile(r"\s*-{4} (.+?) -{4,}")
TERM = re.compile(r"([A-Z]\w+)(?:[.:] +| {2,})(?=\S)")
CODE = re.compile(
    r"`[^`]*`|\w+->\w+|(?:\.{3}|[\w/])*_\w+(?:[./]\w+|\[\w+\]|\(\))*|\*\w+|\w+\[\w+\]|\w+/\w+\.\w+"
)
HEAD = """# ale.h

The whole of libale's interface, made of its header, in which every promise is written. [The
overview](c-api.md) says how to begin.

"""


class Item(NamedTuple):
    """A comment with the declarations that it speaks of; or a section's title, with its comment."""

    title: str
    comment: str
    declarations: list[str]


def items(header: str) -> Iterator[Item]:
    """The parts of the header, in order.  The first is the comment at its head."""
    first = COMMENT.match(header)
    assert first, "ale.h begins with a comment"
    yield Item("", first[1], [])
    body = header[header.index("/* ----") : header.rindex("#ifdef __cplusplus")]
    comment, declarations = "", list[str]()
    lines = iter([*body.splitlines(), ""])
    for line in lines:
        if declarations and (line.startswith("/*") or not line):
            yield Item("", comment, declarations)
            comment, declarations = "", []
        if line.startswith("/*"):
            text = line
            while "*/" not in text:
                text += "\n" + next(lines)
            comment = text.strip()[2:-2]
            if title := TITLE.match(comment):
                yield Item(title[1], comment[title.end() :], [])
                comment = ""
        elif line:
            code = line
            while not line.startswith("#") and not finished(code):
                code += "\n" + next(lines)
            declarations.append(code)


def finished(code: str) -> bool:
    """Whether a declaration is complete."""
    bare = COMMENT.sub("", code)
    return "/*" not in bare and bare.count("{") == bare.count("}") and bare.rstrip().endswith(";")


def name_of(declaration: str) -> str:
    """Return the name that a declaration declares; "" for an enum without a name."""
    if found := re.match(r"#define (\w+)", declaration):
        return found[1]
    if found := re.match(r"typedef .*?(\w+);\Z", COMMENT.sub("", declaration).strip(), re.DOTALL):
        return found[1]
    found = re.match(r"ALE_API [^(]*?(\w+)\(", declaration)
    return found[1] if found else ""


def members(declaration: str) -> Iterator[tuple[str, str]]:
    """The lines of a struct or enum: code and comment; an empty line has neither."""
    inside = declaration[declaration.index("{") + 1 : declaration.rindex("}")]
    code, end = "", 0
    pieces: list[tuple[str, str]] = []
    for found in COMMENT.finditer(inside):
        code = inside[end : found.start()]
        before, _, same_line = code.rpartition("\n")
        pieces += [(line, "") for line in before.split("\n")[1 if pieces else 0 :]]
        pieces.append((same_line, " ".join(re.sub(r"\n\s*\*", " ", found[1]).split())))
        end = found.end()
    rest = inside[end:].rstrip("\n")
    pieces += [(line, "") for line in rest.split("\n")[1 if pieces else 0 :]]
    for line, text in pieces:
        yield line.strip().rstrip(",;"), text


def enumerators(code: str) -> list[tuple[str, str]]:
    """Names and values."""
    return re.findall(r"(\w+) = (-?\w+)", code)


def anchors(header: str) -> dict[str, str]:
    """All that can be linked, and its anchor; an enumerator's is that of its enum."""
    found = {}
    for item in items(header):
        for declaration in item.declarations:
            values = (
                enumerators(COMMENT.sub("", declaration))
                if "enum" in declaration.split("{")[0]
                else []
            )
            home = name_of(declaration) or values[0][0]
            found[home] = home
            for name, _ in values:
                found.setdefault(name, home)
    return found


class Writer:
    """Makes Markdown of the header's parts."""

    def __init__(self, header: str) -> None:
        self.header = header
        self.anchors = anchors(header)

    def words(self, text: str) -> str:
        """A line of prose: names become code, and links where they are declared."""

        def code(found: re.Match[str]) -> str:
            word = found[0].strip("`")
            anchor = self.anchors.get(word.split("(")[0].split(".")[0])
            return f"[`{word}`](#{anchor})" if anchor else f"`{word}`"

        parts, end = [], 0
        for found in CODE.finditer(text):
            parts += [escaped(text[end : found.start()]), code(found)]
            end = found.end()
        return "".join([*parts, escaped(text[end:])])

    def prose(self, comment: str) -> str:
        """A comment: paragraphs, lists of terms, and code where it is indented."""
        lines = [
            re.sub(r"^\s*\* ?", "", line.rstrip()) for line in comment.strip("\n ").split("\n")
        ]
        out: list[str] = []
        kind = "blank"
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            indented = line.startswith(" " * 4)
            if kind == "code" and (indented or not line):
                out[-1] += "\n    " + line
            elif not line:
                kind = "blank"
            elif kind == "blank" and indented:
                kind = "code"
                out.append("    " + line)
            elif (term := TERM.match(line)) and (kind == "term" or following.startswith(" " * 5)):
                kind = "term"
                out.append(f"- **{term[1]}**: {self.words(line[term.end() :])}")
            elif kind == "text" or (kind == "term" and indented):
                out[-1] += " " + self.words(line.strip())
            else:
                kind = "text"
                out.append(self.words(line))
        return "\n\n".join(fenced(each) if each.startswith(" ") else each for each in out)

    def table(self, declaration: str) -> str:
        """The fields of a struct or the values of an enum."""
        enum = declaration.split("{")[0].split()[-2 if "typedef" in declaration else -1] == "enum"
        head = (
            "| name | value | |\n| --- | --- | --- |"
            if enum
            else "| field | type | |\n| --- | --- | --- |"
        )
        out: list[str] = [head]
        for code, text in members(declaration):
            if not code and text:  # of those that follow
                out += ["", self.words(text), "", head]
            elif not code:
                if out[-1] != head and len(out) > 1:
                    out += ["", head]
            elif enum:
                rows = enumerators(code)
                out += [f"| `{name}` | {value} | {self.words(text)} |" for name, value in rows]
            else:
                kind, names = split_field(code)
                out.append(f"| {names} | {self.words(f'`{kind}`')} | {self.words(text)} |")
        return "\n".join(out)

    def item(self, item: Item) -> str:
        """A heading for what is declared together, its code, and what is said of it."""
        names = [
            name_of(each) or enumerators(COMMENT.sub("", each))[0][0] for each in item.declarations
        ]
        others = "".join(f'<span id="{name}"></span>' for name in names[1:])
        parts = [f"### {', '.join(f'`{name}`' for name in names)}{others} {{ #{names[0]} }}"]
        plain = [each for each in item.declarations if "{" not in each]
        if plain:
            parts.append("```c\n" + "\n".join(map(tidy, plain)) + "\n```")
        if item.comment:
            parts.append(self.prose(item.comment))
        parts += [self.table(each) for each in item.declarations if "{" in each]
        return "\n\n".join(parts)

    def page(self) -> str:
        """The whole page."""
        parts = []
        for item in items(self.header):
            if item.declarations:
                parts.append(self.item(item))
            else:
                parts += [f"## {item.title}" if item.title else "", self.prose(item.comment)]
        return HEAD + "\n\n".join(filter(None, parts)) + "\n"


def fenced(code: str) -> str:
    """Indented code as a block."""
    return f"```c\n{textwrap.dedent(code).strip()}\n```"


def escaped(text: str) -> str:
    """Text without a meaning in Markdown."""
    return re.sub(r"([*_<\[\]|])", r"\\\1", text)


def split_field(code: str) -> tuple[str, str]:
    """The type of a field, and its names."""
    kind, names = re.match(r"((?:const )?\w+) (.*)", code).groups()  # type: ignore[union-attr]
    if names.startswith("*"):
        kind, names = kind + " *", names[1:]
    if "[" in names:
        names, bound = names.split("[")
        kind += "[" + bound
    return kind, ", ".join(f"`{name.strip()}`" for name in names.split(","))


def tidy(declaration: str) -> str:
    """A declaration without what only compilers want, in lines that a phone can show."""
    code = " ".join(declaration.removeprefix("ALE_API ").split())
    if len(code) <= 72 or "(" not in code:
        return code
    head, arguments = code.split("(", 1)
    return head + "(\n    " + ",\n    ".join(arguments.removesuffix(");").split(", ")) + ");"


def page(header: str) -> str:
    """The page for a header's text."""
    return Writer(header).page()
