"""The pages of the Python reference: one for each public module, of its docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _adapters() -> dict[str, str]:
    """The modules of adapters, which have an `__all__`, and the libraries that they begin with."""
    found = {}
    for path in sorted(ROOT.glob("pyale_ma/integrations/*.py")):
        text = path.read_text(encoding="utf-8")
        if "\n__all__ = " in text:
            summary = ast.get_docstring(ast.parse(text)) or ""
            found[f"pyale_ma.integrations.{path.stem}"] = summary.partition(":")[0]
    return found


# The public modules, and what they are for.  Those of the environments for several agents have
# pages of their own (docs/environments).
MODULES = {
    "pyale_ma": "the package: importing it registers its environments",
    "pyale_ma.single": "one agent: the console and its Gymnasium environment",
    "pyale_ma.single.roms": "the functions of `ale_py.roms`",
    "pyale_ma.single.registration": "the functions of `ale_py.registration`",
    "pyale_ma.single.vector_env": "`ale_py.vector_env`",
    "pyale_ma.multi": "two to four agents: PettingZoo environments",
    "pyale_ma.vector": "many copies in a batch",
    "pyale_ma.objects": "which of the console's objects cover a pixel",
    "pyale_ma.labels": "names for bytes of RAM",
    "pyale_ma.cards": "games of your own",
    "pyale_ma.roms": "where ROM files are found",
    "pyale_ma.registration": "the ids of Gymnasium",
    "pyale_ma.evaluation": "matches between policies, and their ratings",
    "pyale_ma.opponents": "players for every seat, and environments against them",
    "pyale_ma.recording": "what was played, as a file that is played again",
    "pyale_ma.benchmarks": "suites, protocols and scores of papers",
    "pyale_ma.envpool": "EnvPool's interface",
    "pyale_ma.compat.torchwm": "TorchWM's vectors",
    "pyale_ma.distributed": "vectors on many machines",
    **_adapters(),
}
INDEX = """# Python reference

Every public name with its docstring. What is not here, and what begins with an underscore, may
change in any version. The modules of the environments for several agents have [pages of their
own](../environments/README.md).

| module | what it is for |
| --- | --- |
"""


def path_of(module: str) -> str:
    """Where a module lies in the repository."""
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"


def names(module: str) -> list[str]:
    """Return the names in a module's `__all__`."""
    path = ROOT / path_of(module)
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return list(ast.literal_eval(statement.value))
    raise LookupError(f"{path} has no __all__")


def page(module: str) -> str:
    """A module's docstring and those of its public names."""
    members = "".join(f"\n        - {name}" for name in names(module))
    return f"# `{module}`\n\n::: {module}\n    options:\n      members:{members}\n"


def pages() -> dict[str, str]:
    """All pages by file name."""
    rows = "".join(f"| [`{name}`]({name}.md) | {about} |\n" for name, about in MODULES.items())
    index = INDEX + rows
    return {"api/index.md": index} | {f"api/{module}.md": page(module) for module in MODULES}
