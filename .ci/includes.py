"""Look at the includes of libale/src: what each room, which is a folder, knows of the others.

    python .ci/includes.py

Files include those of their room, of `support`, and of what the room's row below names: rooms, or
headers of a room.  A row names nothing that is not needed.  No circle leads through several rooms,
where a source and the header of the same name count as one.
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "libale" / "src"
CPU, VIDEO, TRANSLATOR = "console/cpu", "console/video", "console/cpu/translator"
MACHINE = "console/machine.h"
ROWS = {
    ".": "cards environment labels vector",
    "cards": "games",
    "environment": "console console/cartridge/cartridge.h games labels",
    "vector": "environment policy vector/preprocess",
    "vector/preprocess": "environment",
    "console": f"console/cartridge {CPU} {VIDEO} {VIDEO}/engine",
    "console/cartridge": f"{MACHINE} {VIDEO}/tia.h",
    CPU: f"{MACHINE} console/rom_image.h console/riot.h console/cartridge {VIDEO}",
    TRANSLATOR: f"{CPU} console/riot.h console/cartridge {VIDEO}/tia.h",
    f"{TRANSLATOR}/hosts": TRANSLATOR,
    f"{TRANSLATOR}/templates": f"{TRANSLATOR} {TRANSLATOR}/hosts {MACHINE} {VIDEO}/tia.h "
    "console/cartridge/dpc.h",
    VIDEO: f"{MACHINE} {VIDEO}/engine",
    f"{VIDEO}/engine": f"{VIDEO}/beam.h {VIDEO}/shapes.h",
}
Graph = dict[Path, set[Path]]


def read_includes() -> Graph:
    """Return the files that each file includes, by their paths from SOURCES."""
    graph = {}
    for path in SOURCES.rglob("*.[chi]*"):
        names = re.findall(r'^ *# *include "(.+)"', path.read_text("utf-8"), re.MULTILINE)
        included = {(path.parent / name).resolve().relative_to(SOURCES) for name in names}
        graph[path.relative_to(SOURCES)] = included
    return graph


def check_rows(graph: Graph) -> list[str]:
    """Return what is wrong with files, and with ROWS."""
    rows = {(Path(here), Path(name)) for here, row in ROWS.items() for name in row.split()}
    wrong, needed = [], set()
    for file, included in graph.items():
        here = file.parent
        for other in included:
            ways = {(here, other), (here, other.parent)}
            needed |= ways
            if other.parent not in (here, Path("support")) and rows.isdisjoint(ways):
                wrong.append(f"{file} includes {other}, which is not in the row of {here}")
    return wrong + [f"nothing in {here} needs {name}" for here, name in rows - needed]


def find_circles(graph: Graph) -> list[str]:
    """Return the circles that lead through several rooms."""
    modules: Graph = {}
    for file, included in graph.items():
        modules.setdefault(file.with_suffix(""), set()).update(f.with_suffix("") for f in included)
    reached: Graph = {}
    for module in modules:
        reached[module], waiting = set(), [module]
        while waiting:
            new = modules[waiting.pop()] - reached[module]
            reached[module] |= new
            waiting += new
    circles = {frozenset(m for m in reached[module] if module in reached[m]) for module in modules}
    return [
        "these include each other: " + " ".join(sorted(map(str, circle)))
        for circle in circles
        if len({module.parent for module in circle}) > 1
    ]


def main() -> int:
    """Print what there is, and what is wrong with it."""
    graph = read_includes()
    arrows = {(file.parent, other.parent) for file in graph for other in graph[file]}
    count = sum(here != there for here, there in arrows)
    print(f"libale/src: {len({file.parent for file in graph})} rooms, {count} arrows between them")
    wrong = sorted(check_rows(graph) + find_circles(graph))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
