"""Measure how long the sentences of Markdown pages are.

    python docs/tools/sentences.py [--above 35] docs/*.md

Prints a row for each page: how many sentences it has, and how many words the median one, the 90th
percentile and the longest have.  With ``--above``, it also prints each sentence with more words.
Code in backticks is one word.  Blocks of code, headings and tables are left out of the numbers, but
long cells of tables are printed, too.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

_LEFT_OUT = re.compile(r"^( *)```.*?^\1```$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[*+-]|\d+\.) )")  # between paragraphs and items of lists
_MARK = re.compile(r"^\s*(?:(?:[*+>-]|\d+\.) +)*")
_ABBREVIATION = re.compile(r"\b(al|vs|Bros|Mr|Ms|e\.g|i\.e)\.")
_END = re.compile(r"(?<=[.?!])[)\"*]*\s+(?=[^a-z\s])|(?<=[.?!][)\"*])\s+(?=[^a-z\s])")


def plain(text: str) -> str:
    """Return a paragraph without markup, with one word for each code and link target removed."""
    text = re.sub(r"!\[([^]]*)\]\([^)]*\)|<[^>]+>", " ", text)
    text = re.sub(r"`[^`]+`", "CODE", text)
    text = re.sub(r"\[([^]]*)\](?:\([^)]*\))?", r"\1", text)
    return _ABBREVIATION.sub(r"\1", " ".join(_MARK.sub("", text).split()))


def words(sentence: str) -> int:
    """Count the words of a sentence."""
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def sentences(page: str) -> tuple[list[str], list[str]]:
    """Return the sentences of a page's prose, and those of its tables."""
    prose, cells = [], []
    for paragraph in _BREAK.split(_LEFT_OUT.sub("\n\n", page)):
        lines = [line for line in paragraph.splitlines() if not re.match(r"\s*(#|===|!!!)", line)]
        rows = [line for line in lines if line.lstrip().startswith("|")]
        text = "\n".join(line for line in lines if line not in rows)
        prose += [each for each in _END.split(plain(text)) if words(each)]
        for cell in "|".join(rows).split("|"):
            cells += [each for each in _END.split(plain(cell)) if words(each)]
    return prose, cells


def main() -> None:
    """Print the table and the sentences that are too long."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("pages", nargs="+", type=Path)
    arguments.add_argument("--above", type=int, help="print the sentences with more words")
    options = arguments.parse_args()
    print("| page | sentences | median | 90 % | longest |\n| --- | ---: | ---: | ---: | ---: |")
    long = []
    for page in options.pages:
        prose, cells = sentences(page.read_text(encoding="utf-8"))
        counts = [words(each) for each in prose] or [0]
        middle, high = np.percentile(counts, [50, 90])
        print(f"| {page.name} | {len(prose)} | {middle:.0f} | {high:.0f} | {max(counts)} |")
        long += [
            (page.name, each) for each in prose + cells if words(each) > (options.above or 1e9)
        ]
    for name, sentence in long:
        print(f"{name}: {words(sentence)} words: {sentence}")


if __name__ == "__main__":
    main()
