"""List what programs may rely on, a line for each name, argument, command, field and constant.

    python tools/interface.py [FOLDER]    write it to tests/stable/names/, at a release

docs/stability.md says what this promises, docs/development/releasing.md how the lists are used.  A
line has the place of an argument, "*" where it is given by name alone, and its default.  The header
that programs of this version are compiled with is copied beside them.  Needs the package with its
extra test.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STABLE = ROOT / "tests" / "stable" / "names"
HEADER = ROOT / "libale" / "include" / "ale" / "ale.h"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def main(folder: Path) -> None:
    """Write the lists and the header to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in lists().items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    shutil.copy(HEADER, folder)


def lists() -> dict[str, list[str]]:
    """All lists, by their files' names."""
    return {
        "python.txt": sorted(set(python_lines())),
        "commands.txt": sorted(set(command_lines())),
        "ids.txt": sorted(id_lines()),
        "c.txt": list(c_lines(_module(ROOT / "libale" / "generate_abi.py").Header())),
    }


def _module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


# ---- Python --------------------------------------------------------------------------------------


def python_lines() -> Iterator[str]:
    """Public names: modules, what their ``__all__`` lists, arguments, methods and attributes."""
    reference = _module(ROOT / "docs" / "site" / "python_reference.py")
    files = {name: ROOT / reference.path_of(name) for name in reference.MODULES}
    for file in sorted((ROOT / "pyale_ma" / "multi").glob("*_v[0-9].py")):
        files[f"pyale_ma.multi.{file.stem}"] = file
    for name, file in files.items():
        yield name
        source = Source(file)
        for public in reference.names(name):
            yield f"{name}.{public}"
            yield from source.lines(f"{name}.{public}", public)


class Source:
    """A module's text, which is read and not imported: adapters need libraries."""

    def __init__(self, file: Path) -> None:
        body = ast.parse(file.read_text(encoding="utf-8")).body
        for_types = [inner for node in body if isinstance(node, ast.If) for inner in node.body]
        self.body = [*body, *for_types]
        assigned = [node for node in self.body if isinstance(node, ast.Assign)]
        self._constants = {
            ast.unparse(node.targets[0]): node.value
            for node in assigned
            if isinstance(node.value, ast.Constant)
        }

    def lines(self, name: str, member: str) -> Iterator[str]:
        """Yield the promises about a member, under the name that it is known by."""
        source, node = self.find(member)
        if isinstance(node, ast.ClassDef):
            yield from source._class_lines(name, node)
        elif isinstance(node, _Function):
            yield from source._argument_lines(name, node)

    def find(self, member: str) -> tuple[Source, ast.stmt | None]:
        """Where a member is defined, here or in a module of ours; None: nothing tells its parts."""
        for node in self.body:
            if isinstance(node, (ast.ClassDef, _Function)) and node.name == member:
                return self, node
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pyale_ma"):
                for alias in node.names:
                    path = ROOT / f"{str(node.module).replace('.', '/')}.py"
                    if (alias.asname or alias.name) == member and path.is_file():
                        return Source(path).find(alias.name)
        return self, None

    def _class_lines(self, name: str, node: ast.ClassDef) -> Iterator[str]:
        made_anew = any(isinstance(i, _Function) and i.name == "__init__" for i in node.body)
        for base in node.bases:
            source, inherited = self.find(ast.unparse(base).partition("[")[0])
            if isinstance(inherited, ast.ClassDef):
                lines = source._class_lines(name, inherited)
                yield from (it for it in lines if not (made_anew and it.startswith(f"{name}(")))
        yield from (f"{name}.{attribute}" for attribute in _attributes(node))
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
        public = [item for item in fields if not ast.unparse(item.target).startswith("_")]
        yield from (f"{name}.{ast.unparse(item.target)}" for item in public)
        for item in node.body:
            if not isinstance(item, _Function):
                continue
            if item.name == "__init__":
                yield from self._argument_lines(name, item, skip=1)
            elif not (item.name.startswith("_") or _is_deprecated(item)):
                yield f"{name}.{item.name}"
                kinds = {ast.unparse(decorator) for decorator in item.decorator_list}
                if not kinds & {"property", "cached_property", "functools.cached_property"}:
                    skip = int("staticmethod" not in kinds)
                    yield from self._argument_lines(f"{name}.{item.name}", item, skip)

    def _argument_lines(self, name: str, node: _Function, skip: int = 0) -> Iterator[str]:
        given = node.args
        positional = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
        for place, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
            if place >= skip:
                yield self._argument_line(name, str(place + 1 - skip), argument, default)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            yield self._argument_line(name, "*", argument, default)
        if given.kwarg:
            yield f"{name}(** {given.kwarg.arg})"

    def _argument_line(
        self, name: str, place: str, argument: ast.arg, default: ast.expr | None
    ) -> str:
        if isinstance(default, ast.Name):  # the value is what programs rely on
            default = self._constants.get(default.id, default)
        shown = "" if default is None else f"={ast.unparse(default)}"
        return f"{name}({place} {argument.arg}{shown})"


def _is_deprecated(node: _Function) -> bool:
    """Whether a member is there only for programs that are older than the promise."""
    return (ast.get_docstring(node) or "").startswith("Deprecated:")


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes that the docstring lists."""
    told = re.search(r"(?ms)^Attributes:\n(.*?)(^\S|\Z)", ast.get_docstring(node) or "")
    for line in re.findall(r"(?m)^    (\w[\w, ]*):", told[1] if told else ""):
        yield from (name for name in line.split(", ") if not name.startswith("_"))


# ---- The command line, and the ids of environments -----------------------------------------------


def command_lines() -> Iterator[str]:
    """Commands and their arguments."""
    from pyale_ma import cli

    return _parser_lines(cli.parser())


def _parser_lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield inner.prog
                yield from _parser_lines(inner)
        elif action.option_strings:
            yield from (f"{parser.prog} {option}" for option in action.option_strings)
        else:
            yield f"{parser.prog} {action.metavar or action.dest}"


def id_lines() -> Iterator[str]:
    """The ids that are ours alone."""
    import gymnasium

    import pyale_ma  # noqa: F401 - registers them

    return (name for name in gymnasium.registry if name.startswith("pyale_ma/"))


# ---- C -------------------------------------------------------------------------------------------


def c_lines(header: Any) -> Iterator[str]:
    """Constants with their values, structs' fields in their order, functions."""
    from pycparser.c_generator import CGenerator

    text = CGenerator().visit
    yield f"ALE_ABI_VERSION {header.macros['ALE_ABI_VERSION']}"
    yield from (f"{name} = {value}" for name, value in header.constants.items())
    for name, fields in header.structs.items():
        yield name
        yield from (f"{name}[{place}] {text(field)}" for place, field in enumerate(fields or ()))
    yield from (f"{text(function)};" for function in header.functions.values())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else STABLE)
