"""List the public names of packages: members, arguments and defaults, as they are when imported.

    python tests/support/public_names.py IMPORTS EXPRESSION...

The imports are run.  Then everything that the expressions have (modules, classes and other objects)
is printed as JSON: each name with its signatures, one for each way to call it, none where it is not
called or does not say how.  What a module imports from other packages is left out.  Constants
stand with their value.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import inspect
import json
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

Parameter = tuple[str, str, str]  # name, kind, default
Signatures = list[list[Parameter]]
_CONSTANTS = (bool, int, float, str, list, tuple, dict)
_ELSEWHERE = {"__file__", "packagedir", "SDL_SUPPORT"}  # constants that depend on the machine


def main() -> None:
    """Print the names."""
    imports, *expressions = sys.argv[1:]
    space: dict[str, Any] = {}
    found: dict[str, Signatures] = {}
    with contextlib.redirect_stdout(sys.stderr):
        exec(imports, space)
        for expression in expressions:
            value = eval(expression, space)
            found[expression] = signatures(value)
            found.update(names(expression, value))
    print(json.dumps(found))


def names(path: str, owner: Any) -> Iterator[tuple[str, Signatures]]:
    """The names of a module, a class or an object, those of a module's classes too."""
    is_module = isinstance(owner, ModuleType)
    base = object if isinstance(owner, type) else object()
    for name in dir(owner):
        if name.startswith("__") and not (is_module and name in ("__version__", "__file__")):
            continue
        if is_module and name.startswith("_") and not name.startswith("__"):
            continue
        value = getattr(owner, name, None)
        if hasattr(base, name) or (is_module and is_foreign(owner, value)):
            continue
        text = f"{path}.{name}"
        if isinstance(value, enum.Enum):
            text += f"={value.value}"
        elif isinstance(owner, (type, ModuleType)) and isinstance(value, _CONSTANTS):
            text += "" if name in _ELSEWHERE else f"={value}"
        yield text, signatures(value)
        if is_module and isinstance(value, type):
            yield from names(text, value)


def is_foreign(module: ModuleType, value: Any) -> bool:
    """Whether a module has this from another package, or as a name for types."""
    if isinstance(value, ModuleType) or hasattr(value, "__origin__"):
        return True
    own = {module.__name__.partition(".")[0], "pyale_ma"}
    home = getattr(value, "__module__", None)
    return home is not None and str(home).partition(".")[0] not in own


def signatures(called: Any) -> Signatures:
    """The ways to call something."""
    if isinstance(called, enum.EnumMeta) or not callable(called):
        return []
    function = vars(called).get("__init__", called) if isinstance(called, type) else called
    if "nanobind" in f"{type(function)}{type(called)}":  # which says it in its docstring
        told = re.findall(r"^(\w+\(.*\))(?: -> .*)?$", function.__doc__ or "", re.MULTILINE)
        return [of_text(line) for line in told]
    try:
        found = inspect.signature(called)
    except (TypeError, ValueError):
        return []
    return [[of_parameter(each) for each in found.parameters.values() if each.name != "self"]]


def of_parameter(parameter: inspect.Parameter) -> Parameter:
    """An argument."""
    default = parameter.default
    text = "" if default is parameter.empty else repr(default)
    return parameter.name, parameter.kind.name, text


def of_text(line: str) -> list[Parameter]:
    """The arguments of a signature in a docstring."""
    while line != (line := re.sub(r"\[[^\[\]]*\]", "", line)):  # arguments of types
        pass
    function = ast.parse(f"def {line}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    defaults = [ast.unparse(each) for each in arguments.defaults]
    named = [
        *((each, "POSITIONAL_ONLY") for each in arguments.posonlyargs),
        *((each, "POSITIONAL_OR_KEYWORD") for each in arguments.args),
    ]
    texts = [""] * (len(named) - len(defaults)) + defaults
    listed = [(each.arg, kind, text) for (each, kind), text in zip(named, texts, strict=True)]
    return [each for each in listed if each[0] != "self"]


if __name__ == "__main__":
    main()
