"""Check that imports of the package point one way: from a room to those below it.

    python tools/rooms.py           say which imports point upwards, if any do
    python tools/rooms.py --list    also list the rooms: modules, lines, rooms that they import
    python tools/rooms.py --draw    also write the picture of the floors into docs/architecture.md

A room is a folder of `pyale_ma`, or a module beside the folders.  Imports within functions count,
and those for types only.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "pyale_ma"
PAGE = PACKAGE.parent / "docs" / "architecture.md"
WIDTH = 40  # of its picture

# From the lowest floor to the highest.  Rooms of one floor do not know each other, but for the
# three layers, which may use each other's public names.
FLOORS = (
    ("_base",),
    ("_native",),
    ("games",),
    ("labels",),
    ("console", "registration"),
    ("screen",),
    ("single", "multi", "vector"),
    ("recording",),
    ("opponents",),
    ("evaluation",),
    ("benchmarks", "distributed", "integrations"),
    ("compat",),
    ("cli",),
    ("__main__", "__init__"),
)
LAYERS = FLOORS[6]
# Public names of rooms below, under the package's own name.
FACES = {"cards": "games", "envpool": "integrations", "objects": "console", "roms": "games"}
# Names of rooms above.  Ratings belong to matches, and their names to opponents.  In seats of
# branches that are left open, trained players choose, by their names.
FORWARDED = {
    ("opponents/__init__.py", "pyale_ma.evaluation.rating"),
    ("vector/branches.py", "pyale_ma.opponents"),
    ("vector/branches.py", "pyale_ma.opponents.trained"),
}

_FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(path: Path) -> str:
    """Return the room that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of each import of this package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif not isinstance(node, ast.ImportFrom) or node.level:
            continue
        elif node.module == "pyale_ma":
            yield from ((node.lineno, f"pyale_ma.{alias.name}") for alias in node.names)
        else:
            yield node.lineno, str(node.module)


def problem(path: Path, name: str) -> str:
    """Return what is wrong with an import; "": nothing."""
    room, (package, *rest) = room_of(path), name.split(".")
    if package != "pyale_ma" or not rest or room == "__init__":
        return ""
    target = rest[0]
    if target in FACES:
        return f"is for users; import from pyale_ma.{FACES[target]}"
    if target not in _FLOOR_OF or room == target:
        return ""
    if (str(path.relative_to(PACKAGE)), name) in FORWARDED:
        return ""
    if room in FACES:
        return "" if target == FACES[room] else f"leads from {room} elsewhere than its room"
    if room in LAYERS and target in LAYERS:
        return "" if len(rest) == 1 else "reaches into another layer; use its public names"
    if _FLOOR_OF[target] >= _FLOOR_OF[room]:
        return f"leads upwards, from {room} to {target}"
    return ""


def table() -> Iterator[str]:
    """Yield a line for each room."""
    modules: dict[str, int] = defaultdict(int)
    lines: dict[str, int] = defaultdict(int)
    below: dict[str, set[str]] = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        room = room_of(path)
        modules[room] += 1
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
        for _, name in imports(path):
            package, *rest = name.split(".")
            if package == PACKAGE.name:
                below[room].update({*rest[:1]} & _FLOOR_OF.keys() - {room})
    for floor, rooms in enumerate(FLOORS):
        for room in rooms:
            known = ", ".join(sorted(below[room], key=lambda name: _FLOOR_OF[name]))
            yield f"{floor:2} {room:13} {modules[room]:3} modules {lines[room]:6} lines  {known}"


def picture() -> str:
    """Return the page on architecture with the floors as they are here, the highest first."""
    before, start, rest = PAGE.read_text(encoding="utf-8").partition("<!-- tools/rooms.py -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    floors = "\n".join("   ".join(rooms).center(WIDTH).rstrip() for rooms in reversed(FLOORS))
    return f"{before}{start}```text\n{floors}\n```\n{end}{after}"


def main() -> None:
    """Print imports that point upwards, and exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="list the rooms")
    parser.add_argument("--draw", action="store_true", help="write the picture of the floors")
    options = parser.parse_args()
    if options.list:
        print("\n".join(table()))
    if options.draw:
        PAGE.write_text(picture(), encoding="utf-8", newline="\n")
    failed = picture() != PAGE.read_text(encoding="utf-8")
    if failed:
        print(f"{PAGE}: its picture has other floors; run python tools/rooms.py --draw")
    for path in sorted(PACKAGE.rglob("*.py")):
        room = room_of(path)
        if room not in _FLOOR_OF and room not in FACES:
            print(f"{path}: {room} is in no floor of {Path(__file__).name}")
            failed = True
            continue
        for line, name in imports(path):
            if said := problem(path, name):
                print(f"{path}:{line}: import of {name} {said}")
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
