"""Change the sources in places chosen at random, and count how many changes the tests notice.

    python tools/mutate.py --results before.json             sixty changes
    python tools/mutate.py --again before.json --results now.json

Each change is one token of libale/src or pyale_ma: a comparison, a connective, or a number.  The
tests that concern its file run until one fails; the nearest ones come first.  A change that no test
notices in the time limit counts as not noticed.  `--again` makes the same changes again, and runs
the test that noticed each first: after tests were merged or dropped, it tells what they took along.

Run it in a clone of its own with an editable install: it changes the sources and the installed
library in place, and puts them back.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

CLONE = Path(__file__).resolve().parents[1]
BUILD = CLONE / "build-mutants"
# The package's library, linked in a moment.
OPTIONS = ["--buildtype=release", "-Dpython=true", "-Db_lto=false"]
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OTHER |= {"&&": "||", "||": "&&", "and": "or", "or": "and", "True": "False", "False": "True"}
TOKEN = re.compile(
    r"(?<= )(?:[<>=!]=|[<>]|&&|\|\||and|or)(?= )|\b(?:True|False)\b|(?<![\w.])\d+(?![\w.])"
)
HIDDEN = re.compile(  # comments and texts
    r'"""(?:.|\n)*?"""|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#.*|//.*'
)
LEFT_OUT = ("abi.py", "rom_properties.c", "os_windows.c")  # tables, and another system's
# Their tests start libraries that take longer than the limit, or are not there.
SLOW = ("integrations", "distributed", "dataset_files.py")
# The tests of each folder, quick ones first: names of C tests, and what pytest runs.
TESTS = {
    "libale/src/cards": (["cards"], ["tests/cards"]),
    "libale/src/console/cpu": (
        ["stretches", "ram_code", "checksums", "templates", "random_roms"],
        ["tests/differential/test_programs.py", "tests/checksums"],
    ),
    "libale/src/console/video": (
        ["checksums", "video", "long_frames", "random_roms", "random_states", "engine", "rows"],
        ["tests/checksums", "tests/differential/test_games_quick.py"],
    ),
    "libale/src/console": (
        ["cartridge", "palette", "limits", "checksums", "states", "random_roms"],
        ["tests/checksums", "tests/differential/test_programs.py", "tests/games/test_roms.py"],
    ),
    "libale/src/environment": (
        ["environment", "starts", "api", "by_mode", "limits", "states", "checksums"],
        ["tests/layers/test_starts.py", "tests/native", "tests/checksums", "tests/single"],
    ),
    "libale/src/games": (
        ["by_mode"],
        [
            "tests/checksums",
            "tests/spec",
            "tests/single/test_corrected_rules.py",
            "tests/single/test_several_players.py",
            "tests/multi/test_environments.py",
            "tests/differential/test_games_quick.py",
        ],
    ),
    "libale/src/labels": (["labels", "objects"], ["tests/labels", "tests/games/test_objects.py"]),
    "libale/src/policy": (["policy"], ["tests/opponents/test_players.py"]),
    "libale/src/support": (
        ["arena", "pool", "limits", "choice", "memory", "preprocess", "api"],
        ["tests/checksums", "tests/native", "tests/vector"],
    ),
    "libale/src/vector": (
        ["vector_refusals", "vector", "preprocess", "states", "starts"],
        ["tests/vector/test_vector_env.py", "tests/checksums", "tests/vector"],
    ),
    "libale/src": (["api", "environment", "vector", "cards"], ["tests/native", "tests/single"]),
    "pyale_ma/_base": ([], ["tests/base", "tests/games", "tests/robustness", "tests/cli"]),
    "pyale_ma/_native": (
        [],
        [
            "tests/native",
            "tests/vector/test_vector_env.py",
            "tests/opponents/test_versus.py",
            "tests/labels",
            "tests/single",
            "tests/vector",
        ],
    ),
    "pyale_ma/benchmarks": ([], ["tests/benchmarks", "tests/layers"]),
    "pyale_ma/cli": (
        [],
        [
            "tests/cli",
            "tests/cards/test_watch.py",
            "tests/recording/test_replay_command.py",
            "tests/recording/test_films.py",
            "tests/layers",
        ],
    ),
    "pyale_ma/compat": ([], ["tests/compat"]),
    "pyale_ma/console": ([], ["tests/single", "tests/multi"]),
    "pyale_ma/evaluation": ([], ["tests/evaluation", "tests/opponents"]),
    "pyale_ma/games": ([], ["tests/games", "tests/cli", "tests/multi", "tests/layers"]),
    "pyale_ma/labels": ([], ["tests/labels", "tests/cards/test_watch.py"]),
    "pyale_ma/multi": ([], ["tests/multi", "tests/layers"]),
    "pyale_ma/opponents": ([], ["tests/opponents", "tests/evaluation"]),
    "pyale_ma/recording": ([], ["tests/recording", "tests/layers"]),
    "pyale_ma/registration": ([], ["tests/layers", "tests/single", "tests/multi"]),
    "pyale_ma/single": ([], ["tests/single", "tests/layers", "tests/robustness"]),
    "pyale_ma/vector": ([], ["tests/vector", "tests/layers", "tests/robustness"]),
    "pyale_ma": ([], ["tests/layers", "tests/single", "tests/cli"]),
}


@dataclass
class Mutant:
    """A change of one token.

    Attributes:
        path: The file.
        before: The line as it stands.
        after: The line as changed.
        number: The line's number, from 1 on; only near it if the file has changed since.
        is_condition: Whether the token is no number.
        outcome: "caught", "survived", "out of time", "not built", "same code" of the compiler, or
            "gone" with its line.
        test: The test that noticed it.
        seconds: How long that took a processor.
    """

    path: str
    before: str
    after: str
    number: int
    is_condition: bool
    outcome: str = ""
    test: str = ""
    seconds: float = 0.0


def places(path: Path) -> Iterator[Mutant]:
    """Give all changes of a file."""
    text = path.read_text(encoding="utf-8")
    bare = HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = text.splitlines()
    for number, line in enumerate(bare.splitlines(), 1):
        if line.lstrip().startswith(("import ", "from ")):
            continue
        for found in TOKEN.finditer(line):
            token = found[0]
            other = OTHER[token] if token in OTHER else str(int(token) + 1)
            whole = lines[number - 1]
            after = whole[: found.start()] + other + whole[found.end() :]
            name = str(path.relative_to(CLONE))
            yield Mutant(name, whole, after, number, is_condition=token in OTHER)


def choose(count: int, seed: int, wanted: str) -> list[Mutant]:
    """Choose changes: as many of C as of Python, each of a file of its own while there are such.

    Args:
        count: How many.
        seed: Chooses them.
        wanted: A regular expression that the paths of their files have.
    """
    chosen = []
    generator = random.Random(seed)
    for folder, pattern in (("libale/src", "*.c"), ("pyale_ma", "*.py")):
        files = sorted(
            path
            for path in (CLONE / folder).rglob(pattern)
            if path.name not in LEFT_OUT
            and not set(path.parts) & set(SLOW)
            and re.search(wanted, str(path.relative_to(CLONE)))
        )
        generator.shuffle(files)
        of_files = [found for path in files if (found := list(places(path)))]
        for index in range(count // 2 if of_files else 0):
            found = of_files[index % len(of_files)]
            # Most tokens are numbers: conditions are drawn as often.
            conditions = [mutant for mutant in found if mutant.is_condition]
            chosen.append(generator.choice(generator.choice([found, conditions or found])))
    generator.shuffle(chosen)
    return chosen


def game_names() -> set[str]:
    """Return the names of files with the rules of a game."""
    return {path.stem for path in (CLONE / "libale/src/games").glob("*.c")} - {"game", "registry"}


def tests_of(path: str) -> tuple[list[str], list[str]]:
    """Return the C tests and the paths for pytest that concern a file, the nearest first."""
    folder = max((key for key in TESTS if path.startswith(key + "/")), key=len)
    c_tests, paths = TESTS[folder]
    files: list[Path] = []
    for each in map(CLONE.joinpath, paths):
        files += sorted(each.glob("test_*.py")) if each.is_dir() else [each]
    stem = Path(path).stem.strip("_")
    word = re.compile(rf"\b{stem}\b")
    files = [file for file in files if file.is_file()]
    files.sort(key=lambda file: (stem not in file.stem, not word.search(file.read_text())))
    chosen = ["-k", stem] if folder.endswith("games") and stem in game_names() else []
    return c_tests, [*chosen, *(str(file.relative_to(CLONE)) for file in files)]


def processor_time() -> float:
    """Return the seconds of this process's children that have ended."""
    return sum(os.times()[2:4])


def run(command: list[str], seconds: float) -> tuple[int | None, str]:
    """Run a command; return its exit status, None if it took too long, and what it printed.

    The seconds are those of a processor, so that a busy machine notices as much as an idle one.
    """
    limit = max(1, round(seconds))
    with subprocess.Popen(
        command,
        cwd=CLONE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)),
    ) as process:
        try:
            printed, _ = process.communicate(timeout=10 * limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, ""
    return process.returncode, printed


def notice(tests: tuple[list[str], list[str]], seconds: float) -> tuple[str, str]:
    """Run tests until one fails; return the outcome and the name of that test."""
    until = processor_time() + seconds
    c_tests, paths = tests
    for name in c_tests:
        program = BUILD / "libale" / "tests" / f"test_{name}"
        if not program.exists():
            continue
        arguments = [str(CLONE / "libale/tests/checksums.txt")] if name == "checksums" else []
        status, _ = run([str(program), *arguments], until - processor_time())
        if status is None:
            return "out of time", ""
        if status not in (0, 77):  # 77: skipped
            return "caught", f"test_{name}"
    if not paths:
        return "survived", ""
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "--tb=no", "-rfE", "-p"]
    status, printed = run([*pytest, "no:cacheprovider", *paths], until - processor_time())
    if status is None:
        return "out of time", ""
    found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", printed, re.MULTILINE)
    if found or status not in (0, 5):
        return "caught", found[1] if found else "pytest"
    if paths[0] == "-k":  # the quick tests of a game seldom reach its end
        slow = ["-m", "slow or not slow", "-k", paths[1], "tests/differential/test_games_slow.py"]
        slow.append("tests/multi/test_interface_against_reference.py")
        return notice(([], slow), until - processor_time())
    return "survived", ""


def build(*names: str) -> bytes:
    """Build the library and what is named; the installed package gets the library.

    Returns:
        The library's code; nothing if it does not build.
    """
    library = "libale/libale.so"
    if run(["ninja", "-C", str(BUILD), library, *names], 600)[0]:
        return b""
    ask = "from pyale_ma._native.library import library_path; print(library_path())"
    installed = run([sys.executable, "-c", ask], 60)[1].strip()
    shutil.copy(BUILD / library, installed)
    return (BUILD / library).read_bytes()


def play(mutant: Mutant, seconds: float, original: bytes) -> None:
    """Make a change, see who notices it, and take it back.

    Args:
        mutant: The change; it gets its outcome.
        seconds: How long the tests may take a processor.
        original: The library's code without the change.
    """
    path = CLONE / mutant.path
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = text.splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if line.rstrip("\n") == mutant.before]
    if not at:
        mutant.outcome = "gone"
        return
    line = min(at, key=lambda i: abs(i + 1 - mutant.number))
    lines[line] = mutant.after + "\n"
    first, mutant.test = mutant.test, ""
    began = processor_time()
    try:
        path.write_text("".join(lines), encoding="utf-8")
        c_tests, paths = tests_of(mutant.path)
        programs = [f"libale/tests/test_{name}" for name in c_tests]
        if mutant.path.startswith("libale"):
            code = build(*programs)
            mutant.outcome = "same code" if code == original else "" if code else "not built"
            if mutant.outcome:
                return
        began = processor_time()
        if first and "::" in first and (CLONE / first.split("::")[0]).is_file():
            mutant.outcome, mutant.test = notice(([], [first]), seconds)
            # pytest says so, too, if there is no test of this name.
            if mutant.outcome == "caught" and mutant.test == first:
                return
        mutant.outcome, mutant.test = notice((c_tests, paths), seconds)
    finally:
        mutant.seconds = round(processor_time() - began, 1)
        path.write_text(text, encoding="utf-8")
        if mutant.path.startswith("libale"):
            build()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mutants", type=int, default=60, help="how many changes")
    parser.add_argument("--seed", type=int, default=1, help="chooses the changes")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of a processor, at most, for each"
    )
    parser.add_argument("--files", default="", help="regular expression that their paths have")
    parser.add_argument("--again", type=Path, help="repeat the changes of these results")
    parser.add_argument("--results", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=CLONE, check=False).returncode:
        parser.error(
            "there are changes that are not committed: this would lose them if it is killed"
        )
    if not BUILD.exists():
        run(["meson", "setup", str(BUILD), *OPTIONS], 600)
    original = build("all")
    if not original:
        parser.error("the library does not build")
    if options.again:
        mutants = [Mutant(**each) for each in json.loads(options.again.read_text())]
    else:
        mutants = choose(options.mutants, options.seed, options.files)
    for count, mutant in enumerate(mutants, 1):
        play(mutant, options.seconds, original)
        where = f"{mutant.path}:{mutant.number}"
        print(
            f"{count:3} {mutant.outcome:11} {mutant.seconds:5} s  {where}  {mutant.test}",
            flush=True,
        )
        options.results.write_text(json.dumps([asdict(m) for m in mutants[:count]], indent=1))
    for outcome in sorted({mutant.outcome for mutant in mutants}):
        print(f"{outcome}: {sum(mutant.outcome == outcome for mutant in mutants)}")


if __name__ == "__main__":
    main()
