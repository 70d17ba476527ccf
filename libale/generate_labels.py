"""Writes libale/src/labels/table.inc: the labels of pyale_ma/labels, as C reads them.

python libale/generate_labels.py

Run it after every change of these files, which tests/labels checks.  It needs pyale_ma.
"""

from __future__ import annotations

import json
from pathlib import Path

from pyale_ma.labels import GAMES, Label, labels_of

OUTPUT = Path(__file__).parent / "src" / "labels" / "table.inc"
HEAD = """\
/* The labels of all games, which labels.c includes.
 * Written by libale/generate_labels.py from pyale_ma/labels: change a file there, then run that. */
#define LABEL(of, label, tells_of, whose, how, digit, factor, summand, bits, count, ...)       \\
    {sizeof(ale_label), ALE_LABEL_##of, label, tells_of, whose, count, {__VA_ARGS__}, bits,     \\
     ALE_LABEL_##how, digit, factor, summand, 0, 0}
"""
TAIL = """
#define SET(game) {#game, sizeof labels_of_##game / sizeof *labels_of_##game, labels_of_##game}
static const label_set label_sets[] = {
%s};
#undef SET
#undef LABEL
"""


def main() -> None:
    """Write the file."""
    OUTPUT.write_text(table(), encoding="utf-8")


def table() -> str:
    """The whole file."""
    sets = "".join(f"    SET({game}),\n" for game in GAMES)
    return HEAD + "".join(map(_of_game, GAMES)) + TAIL % sets


def _of_game(game: str) -> str:
    lines = "".join(f"    LABEL({_arguments(label)}),\n" for label in labels_of(game).labels)
    return f"static const ale_label labels_of_{game}[] = {{\n{lines}}};\n"


def _arguments(label: Label) -> str:
    fields = label._fields()
    kind, code = (fields[name].name.removeprefix("LABEL_") for name in ("kind", "code"))
    texts = (json.dumps(fields[name]) for name in ("name", "about"))
    numbers = (fields[name] for name in ("blank", "scale", "offset"))
    mask, places = hex(fields["mask"]), fields["places"]
    arguments = (kind, *texts, fields["player"], code, *numbers, mask, len(places), *places)
    return ", ".join(map(str, arguments))


if __name__ == "__main__":
    main()
