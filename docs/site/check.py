"""Holds a site that was built to what it promises, without a browser.

    mkdocs build
    python docs/site/check.py site

Every link leads to a page, and every anchor to a place on it.  Nothing is fetched from elsewhere.
Pictures have a text in their place.  Every public name of Python, and every declaration of ale.h,
has its place; llms.txt lists pages that are there.  Where REPOSITORY_URL says the address of the
repository, pages say how to clone it, and link to where they are edited.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).parent))
import c_reference
import python_reference

ROOT = Path(__file__).parents[2]
FETCHED = {"audio", "embed", "iframe", "img", "input", "link", "script", "source", "video"}


class Page(HTMLParser):
    """The ids of a page, and what it links and fetches."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, str]] = []  # tag, address
        self.silent: list[str] = []  # pictures that say nothing to who does not see them
        self.words = ""
        self.feed(text)

    def handle_data(self, data: str) -> None:
        """Note the words."""
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element's id and its addresses, and pictures without a text."""
        if tag == "img" and not dict(attrs).get("alt"):
            self.silent.append(dict(attrs).get("src") or "")
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value or "")
            elif name in ("href", "src", "poster"):
                self.links.append((tag, value or ""))


def wrong_links(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Links that lead nowhere, and what would be fetched from elsewhere."""
    for path, page in pages.items():
        here = path.relative_to(site)
        for tag, address in page.links:
            parts = urlsplit(address)
            if parts.scheme in ("data", "javascript", "mailto"):
                continue
            if parts.scheme or parts.netloc:
                if tag in FETCHED:
                    yield f"{here}: <{tag}> fetches {address}"
                elif parts.scheme not in ("http", "https") or "." not in parts.netloc:
                    yield f"{here}: {address} is no address"
                continue
            if path.name == "404.html":
                continue  # it is shown anywhere: its addresses begin at the top of the server
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            if not target.is_file():
                yield f"{here}: {address} leads nowhere"
            elif anchor and target in pages and anchor not in pages[target].ids | {"__top"}:
                yield f"{here}: {address} has no such place"


def wrong_elsewhere(site: Path, pages: dict[Path, Page], repository: str) -> Iterator[str]:
    """Silent pictures, a list of pages that is wrong, no way to the repository."""
    for path, page in pages.items():
        for picture in page.silent:
            yield f"{path.relative_to(site)}: the picture {picture} has no text"
    listed = re.findall(
        r"^- \[.*?\]\((.*?)\)", (site / "llms.txt").read_text("utf-8"), re.MULTILINE
    )
    for address in listed:
        if not (site / address).is_file():
            yield f"llms.txt: {address} leads nowhere"
    if "start.html" not in listed:
        yield "llms.txt: start.html is missing"
    if repository:
        if ("a", f"{repository}/edit/main/docs/start.md") not in pages[site / "start.html"].links:
            yield "start.html: no link to edit it"
        for name in ("index.html", "install.html"):
            if f"git clone {repository}" not in pages[site / name].words:
                yield f"{name}: does not say how to clone the repository"


def missing_names(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Public names that have no place on the site."""
    for module in python_reference.MODULES:
        path = site / "api" / f"{module}.html"
        text = path.read_text(encoding="utf-8")
        for name in python_reference.names(module):
            is_module = (ROOT / python_reference.path_of(f"{module}.{name}")).is_file()
            if is_module and f">{name}<" in text:
                continue
            if f"{module}.{name}" not in pages[path].ids:
                yield f"api/{module}.html: {name} is missing"
    general = (site / "environments" / "index.html").read_text(encoding="utf-8")
    for path in sorted(ROOT.glob("pyale_ma/multi/*_v[0-9].py")):
        own = (site / "environments" / f"{path.stem}.html").read_text(encoding="utf-8")
        for name in python_reference.names(f"pyale_ma.multi.{path.stem}"):
            if f"<code>{name}</code>" not in own + general:
                yield f"environments/{path.stem}.html: {name} is missing"
    header = (ROOT / c_reference.HEADER).read_text(encoding="utf-8")
    bare = c_reference.COMMENT.sub("", header)
    declared = {*re.findall(r"\b(ale_\w+)\(", bare), *re.findall(r"^\} (\w+);", bare, re.MULTILINE)}
    for name in sorted(declared - pages[site / "c-reference.html"].ids):
        yield f"c-reference.html: {name} is missing"


def main() -> int:
    """Say what is wrong; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, help="the folder with the site")
    site: Path = parser.parse_args().site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    wrong = [
        *wrong_links(site, pages),
        *wrong_elsewhere(site, pages, os.environ.get("REPOSITORY_URL", "")),
        *missing_names(site, pages),
    ]
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(
        f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(wrong)} wrong"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
