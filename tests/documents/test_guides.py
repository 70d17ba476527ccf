"""Code in the documents runs: Python section by section, C through a compiler, cards, commands.

A block that cannot run has a title that says so, and why:

    ```sh title="not run: it needs three machines"

A block ``text title="prints"`` is what the Python of its section prints, up to there.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from common import module_at
from pyale_ma import cards, cli
from pyale_ma.integrations.adapters import LIBRARIES
from pyale_ma.labels import KINDS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PRINTS = "prints"
DOCS = ROOT / "docs"
WRITTEN = ("environments", "games", "first-minutes.md")  # pages, and folders of them, by programs
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(
        page
        for page in sorted(DOCS.rglob("*.md"))
        if not {page.name, page.parent.name} & {*WRITTEN}
    ),
]
# Pages of which each block is a program, instead of each section.
PROGRAMS = {"moving.md"}
OPTIONAL = (
    "ale_py",
    "cv2",
    "envpool",
    "jax",
    "matplotlib",
    "moviepy",
    "pettingzoo.atari",
    "scipy",
    "supersuit",
    "tianshou",
    "torch",
    *(library.package for library in LIBRARIES.values()),
)
# What a module of ours imports of them.
ADAPTERS = {f"pyale_ma.integrations.{name}": known.package for name, known in LIBRARIES.items()}


class Block(NamedTuple):
    """A block of code, and where it is."""

    page: Path
    line: int
    section: str
    language: str
    title: str
    text: str


def blocks() -> Iterator[Block]:
    """All blocks of all pages, but for those that say why they do not run."""
    fence = r'^```(\w*)(?: title="(.*?)")?\n(.*?)^```$'
    for page in PAGES:
        text, section = page.read_text(encoding="utf-8"), "begin"
        for part in re.finditer(rf"^## ([^\n]+)$|{fence}", text, re.DOTALL | re.MULTILINE):
            if part[1]:
                section = part[1]
            elif "not run" not in (part[3] or ""):
                line = text.count("\n", 0, part.start(4))
                yield Block(page, line, section, part[2], part[3] or "", part[4])


def in_language(language: str) -> list[Any]:
    found = [block for block in blocks() if block.language == language]
    return [pytest.param(each, id=f"{each.page.name}:{each.line}") for each in found]


def sections() -> list[Any]:
    """The Python of each section, or of each program."""
    found: dict[str, list[Block]] = {}
    for block in blocks():
        if block.language == "python" or block.title == PRINTS:
            part = block.line if block.page.name in PROGRAMS else block.section
            found.setdefault(f"{block.page.name}-{part}", []).append(block)
    return [pytest.param(each, id=name) for name, each in found.items()]


def absent(program: str) -> list[str]:
    """The optional packages that a program imports, or says that it needs, and that are absent."""
    imported = set(re.findall(r"# needs (\w+)", program))
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    imported |= {ADAPTERS[name] for name in imported if name in ADAPTERS}
    return [
        package
        for package in OPTIONAL
        if any(f"{name}.".startswith(f"{package}.") for name in imported)
        and not importlib.util.find_spec(package)
    ]


@pytest.mark.parametrize("section", sections())
def test_section(
    section: list[Block],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    card = ROOT / "tests" / "cards" / "pong_players.toml"
    Path("my").mkdir()
    variation = '[variations.no_enemies]\nhold = { "ram[40]" = 0 }\n'
    Path("my", "game.toml").write_text(card.read_text("utf-8") + variation, encoding="utf-8")
    whole = "".join(block.text for block in section)
    if re.search(r"register_ale_ids|install_as_|import ale_py|from ale_py", whole):
        alone(whole)
        return
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for page, line, _, _, title, text in section:
        if title == PRINTS:
            assert capsys.readouterr().out == text, f"line {line + 1}"
            continue
        if missing := absent(text):
            pytest.skip(f"line {line + 1} needs {', '.join(missing)}")
        tree = ast.parse(text, str(page))
        ast.increment_lineno(tree, line)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", module="__main__")  # of what the guide itself does
            exec(compile(tree, str(page), "exec"), namespace)


def alone(text: str) -> None:
    """Run what changes its process in one of its own."""
    if missing := absent(text):
        pytest.skip(f"needs {', '.join(missing)}")
    subprocess.run([sys.executable, "-W", "error:::__main__", "-c", text], check=True, timeout=300)


# What the fragments in C take as given.
C_AROUND = """
#include <ale/ale.h>
#include <stdio.h>
#include <string.h>
void choose(int32_t *actions, const ale_batch *batch);
void block(const uint8_t *bytes, size_t size, ale_rom *const *roms, const uint32_t *seeds,
           const char *text, const char *file, ale_rom_options options, uint8_t *pixels,
           int32_t *actions, ale_vector *vector, ale_batch batch);
void block(const uint8_t *bytes, size_t size, ale_rom *const *roms, const uint32_t *seeds,
           const char *text, const char *file, ale_rom_options options, uint8_t *pixels,
           int32_t *actions, ale_vector *vector, ale_batch batch) {{{{
{}
}}}}
"""


def compile_c(text: str) -> None:
    code = text if "#include" in text else C_AROUND.format(text)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-return-type"]
    command = ["cc", *flags, f"-I{ROOT / 'libale' / 'include'}", "-fsyntax-only", "-xc", "-"]
    subprocess.run(command, input=code, text=True, check=True)


@pytest.mark.parametrize("block", in_language("c"))
def test_c(block: Block) -> None:
    compile_c(block.text)


def test_c_of_the_reference() -> None:
    """The site's C declarations and its program compile."""
    c_reference = module_at(DOCS / "site" / "c_reference.py")
    page = c_reference.page((ROOT / c_reference.HEADER).read_text(encoding="utf-8"))
    code = re.findall(r"^```c\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(code) >= 60
    programs = [each for each in code if "#include" in each]
    assert len(programs) == 1
    compile_c(programs[0])
    others = (each for each in code if "#include" not in each)
    compile_c("\n".join(["ale_vector_options options;", *others]))


@pytest.mark.parametrize("block", in_language("toml"))
def test_card_labels_or_keys(block: Block, tmp_path: Path) -> None:
    around = "" if block.text.startswith(("name", "[player1]")) else CARD_AROUND
    file = tmp_path / "block.toml"
    file.write_text(around + block.text, encoding="utf-8")
    if 'kind = "x"' in block.text:
        assert {label["kind"] for label in tomllib.loads(block.text).values()} <= set(KINDS)
    elif "[player1]" in block.text:
        assert cli.main(["keys", "--keys", str(file)]) == 0
    else:
        cards.load_card(file)


# What the fragments of cards take as given.
CARD_AROUND = """
name = "game"
rom = "game.bin"
score = "0"
[ram]
enemy_count = 1
lives_left = 2
"""


def commands() -> list[Any]:
    """The commands of all blocks, without comments."""
    found = []
    for block in blocks():
        if block.language == "sh":
            for offset, line in enumerate(block.text.splitlines()):
                line = re.sub(r" #.*| > \S+", "", line)
                for command in re.split(r" && | \| ", line):
                    name = f"{block.page.name}:{block.line + offset + 1}"
                    found.append(pytest.param(shlex.split(command), id=f"{name}-{command}"))
    return found


@pytest.mark.parametrize("command", commands())
def test_command(command: list[str]) -> None:
    """Ours are understood; those that install, build and measure name what is there.

    The checks run the latter, but for those that take hours.
    """
    program, *arguments = command
    program = Path(program).name if program.startswith(".venv/") else program
    if program == "pyale-ma":
        cli.parser().parse_args(arguments)
    elif program == "pip":
        wanted = re.findall(r"\[(.*)\]", arguments[-1])
        extras = ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8")
        for extra in ",".join(wanted).split(","):
            assert not extra or re.search(rf"^{extra} = \[", extras, re.MULTILINE), extra
    elif program == "python" and arguments[0] != "-m":
        script = next(
            path
            for folder in (".", "benchmarks", "examples")
            if (path := ROOT / folder / arguments[0]).is_file()
        )
        told = script.read_text(encoding="utf-8")
        for option in arguments[1:]:
            if option.startswith("--"):
                assert option in told or option[2:] in told, option
    elif program.startswith((".ci/", "libale/")):
        assert (ROOT / program).is_file()
    else:
        assert program in OTHERS, command


# Programs of others, whose arguments are theirs.
OTHERS = {
    ".",
    "callgrind_annotate",
    "cc",
    "cd",
    "emcc",
    "head",
    "meson",
    "mkdocs",
    "ninja",
    "nox",
    "pytest",
}
OTHERS |= {"c++", "cmake", "export", "python", "python3", "twine", "valgrind"}


def test_files_that_pages_name_are_there() -> None:
    """As a whole path, or as the end of one."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("this is no clone")
    files = {f"/{name}" for name in tracked.stdout.splitlines()}
    development = (DOCS / "development").glob("*.md")
    for page in [ROOT / "CONTRIBUTING.md", DOCS / "architecture.md", *development]:
        named = re.findall(r"`([\w./-]+\.(?:c|h|hpp|inc|js|py))`", page.read_text(encoding="utf-8"))
        for name in named:
            ends = f"/{name.removeprefix('./')}"
            assert "NAME" in name or any(file.endswith(ends) for file in files), (page.name, name)
