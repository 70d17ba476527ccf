"""docs/games is what its generators write, and what they read is so."""

from __future__ import annotations

import ast
import importlib
import itertools
import random
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from common import module_at, rom_path
from pyale_ma import _native, multi
from pyale_ma._native import Rules
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.single import AtariEnv
from spec_rules import Watched, rules

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "games"
GAMES = list(_native.games())
QUICK = ["quartet", "breakout", "joust"]  # what takes seconds a game is done for these
FIRST = 2  # episodes that are played anew


def load(name: str) -> Any:
    """A script of docs/tools, which may import those beside it."""
    folder = DOCS / "tools"
    sys.path.insert(0, str(folder))
    try:
        return module_at(folder / f"{name}.py")
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def generator() -> Any:
    return load("generate_games")


@pytest.fixture(scope="module")
def measuring() -> Any:
    return load("measure_games")


@pytest.fixture(scope="module")
def data(generator: Any) -> Any:
    return generator.Data()


# ---- Pages ---------------------------------------------------------------------------------------


def test_pages(generator: Any) -> None:
    pages = generator.pages()
    for file, text in pages.items():
        written = (FOLDER / file).read_text(encoding="utf-8")
        assert written == text, f"run python docs/tools/generate.py: {file} has changed"
    assert {file.name for file in FOLDER.glob("*.md")} == set(pages)


def test_one_command_runs_all_generators() -> None:
    commands = load("generate").commands(["pong"])
    scripts = [Path(script) for script, *_ in commands]
    assert all(script.is_file() for script in scripts)
    assert {script.name for script in (DOCS / "tools").glob("generate_*.py")} <= {
        script.name for script in scripts
    }
    assert sum("pong" in command for command in commands) == 2


def test_page_of_several_players(generator: Any, data: Any) -> None:
    text = (DOCS / "several-players.md").read_text(encoding="utf-8")
    assert generator.several_players(data, text) == text, "run python docs/tools/generate.py"
    assert text.count("<!-- table of ") == 2
    assert sum(int(number) for number in re.findall(r"^\| .* \| (\d+) \|$", text, re.M)) == len(
        GAMES
    )


def test_games_for_one_player_were_audited(data: Any) -> None:
    solo = {name for name, game in _native.games().items() if Rules.SOLO in game.rules}
    assert {*data.audit} - {""} == solo


def test_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rom_path("pong")
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module="__main__")
        exec(compile(ast.parse(block), "index.md", "exec"), namespace)
    for made in ("env", "envs", "versus", "several"):
        namespace[made].reset(seed=0)
        namespace[made].close()


def default_modes(name: str) -> Iterator[tuple[bool, dict[int, int], str]]:
    """Yield of each paragraph on modes: whether it is for one player, its defaults, its table.

    Defaults stand by number of players; 0 stands for the number that the paragraph is about.
    """
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    # A page of one mode and one difficulty has a sentence instead of these headings.
    blocks = text.partition("### Modes\n\n")[2].split("### Difficulties")[0].split("\n\n")
    for block, following in itertools.pairwise([*blocks, ""]):
        if found := re.search(r"The default is (mode .+?)\.(?: |$)", block):
            defaults = re.findall(r"mode (\d+)(?: for (\d) players)?", found[1])
            yield (
                "pyale_ma.multi" not in block,
                {int(players or 0): int(mode) for mode, players in defaults},
                following if following.startswith("|") else "",
            )


def ram_of(name: str, mode: int | None) -> list[int]:
    env = AtariEnv(name, obs_type="ram", mode=mode)
    try:
        return list(env.reset(seed=0)[0].tolist())
    finally:
        env.close()


@pytest.mark.parametrize("name", GAMES)
def test_default_modes(name: str) -> None:
    """Environments play the modes that pages call the default."""
    rom_path(name)
    game = _native.games()[name]
    counts = [n for n in (2, 4) if Rules.MULTI in game.rules and game.modes(Rules.MULTI, n)]
    for alone, said, modes in default_modes(name):
        if alone:
            assert ram_of(name, None) == ram_of(name, said[0])
        else:
            played = {n: multi.parallel_env(game=name, num_players=n).mode for n in counts}
            assert said == (played if len(counts) > 1 else {0: played[counts[0]]})
        marked = re.findall(r"^\| ([\d, -]+) (?=\|).*\| the default", modes, re.MULTILINE)
        assert {*map(int, marked)} == ({*said.values()} if "| Differs" in modes else set())


def test_default_modes_of_modules() -> None:
    """Where a module's default is another than its game's, the page of the game says so."""
    for name, each in ENVIRONMENTS.items():
        rom_path(each.game)
        env = importlib.import_module(f"pyale_ma.multi.{name}").parallel_env()
        text = (FOLDER / f"{each.game}.md").read_text(encoding="utf-8")
        said = re.search(rf"\[`{name}`\]\S+ mode (\d+)", text)
        usual = multi.parallel_env(game=each.game, num_players=env.num_players).mode
        assert env.mode == (int(said[1]) if said else usual), name


# ---- RAM -----------------------------------------------------------------------------------------


def test_cells_are_those_that_rules_read(generator: Any, data: Any) -> None:
    """All that the specification's rules look at is in the tables."""
    numbers = random.Random(0)
    for name in rules.RULES:
        game = rules.Game(name)
        seen: set[int] = set()
        for _ in range(40):
            game.clear()
            for _ in range(3):
                ram = Watched(
                    numbers.choice([0, 0, 1, 2, 255, numbers.randrange(256)]) for _ in range(128)
                )
                ram.seen = seen
                game.rule.step(ram, game.vars, *([[0] * 128] if name == "klax" else []))
        cells = generator.cells(name, data.texts[name])
        assert seen <= {cell for found in cells.values() for cell in found}, name
        assert seen, name


def test_cells_in_words_are_those_of_the_code(generator: Any, data: Any) -> None:
    for name, text in data.texts.items():
        code = re.sub(r"/\*.*?\*/", "", generator.source(name), flags=re.DOTALL)
        constants = generator.constants(code)
        for word, listed in text.get("cells", {}).items():
            first = word.removesuffix("_TO_LOWEST").removesuffix("_TO_HIGH")
            if (name, word) != ("backgammon", "BOARD"):  # which has no name in the code
                assert generator.numbers(listed)[0] == constants[first], (name, word)


# ---- Measurements --------------------------------------------------------------------------------


def test_everything_was_measured(data: Any, measuring: Any) -> None:
    assert sorted(data.measured) == sorted(GAMES)
    for name, found in data.measured.items():
        assert len(found["returns"]) == len(found["lengths"]) == measuring.EPISODES, name
        assert found["rewards"] or not any(found["returns"][: measuring.REWARD_EPISODES]), name


def check_measured(name: str, data: Any, measuring: Any) -> None:
    """Play the first episodes again; not those that would take minutes."""
    rom_path(name)
    known = data.measured[name]
    episodes = [i for i in range(FIRST) if known["lengths"][i] < 10_000]
    for i in episodes:
        again = measuring.random_play(_native.games()[name], range(i, i + 1))
        assert again == {key: known[key][i : i + 1] for key in ("returns", "lengths")}, (name, i)


def check_settings(name: str, data: Any, measuring: Any) -> None:
    rom_path(name)
    found = measuring.settings(_native.games()[name])
    assert found == {key: data.measured[name][key] for key in ("modes", "difficulties")}


@pytest.mark.parametrize("name", QUICK)
def test_measured(name: str, data: Any, measuring: Any) -> None:
    assert data.measured[name]["lengths"][0] < 10_000  # or nothing would be played here
    check_measured(name, data, measuring)
    check_settings(name, data, measuring)


def test_rewards_were_counted(data: Any, measuring: Any) -> None:
    rom_path("breakout")
    assert measuring.rewards(_native.games()["breakout"]) == data.measured["breakout"]["rewards"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GAMES if name not in QUICK])
def test_measured_of_all(name: str, data: Any, measuring: Any) -> None:
    check_measured(name, data, measuring)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES[::9])
def test_settings_of_some(name: str, data: Any, measuring: Any) -> None:
    check_settings(name, data, measuring)


# ---- Films ---------------------------------------------------------------------------------------


def shown(film: Image.Image) -> list[np.ndarray]:
    """Return a film's picture every 50 ms; the file has pictures that stay only once."""
    pictures: list[np.ndarray] = []
    for number in range(getattr(film, "n_frames", 1)):
        film.seek(number)
        film.load()
        pictures += [np.array(film.convert("RGB"))] * round(film.info["duration"] / 50)
    return pictures


def test_there_is_a_film_of_each_game() -> None:
    for folder, most in (("films", 6_000_000), ("stills", 200_000)):
        files = sorted((FOLDER / folder).iterdir())
        assert [file.name for file in files] == sorted(f"{name}.webp" for name in GAMES)
        assert sum(file.stat().st_size for file in files) < most
        for file in files:
            with Image.open(file) as picture:
                assert picture.width == 320, file
                assert 210 <= picture.height <= 256, file
                assert len(picture.convert("RGB").getcolors(1 << 16) or []) > 1, file


@pytest.mark.parametrize("name", QUICK)
def test_films_show_the_game(name: str) -> None:
    """Exactly: the files have no losses."""
    rom_path(name)
    pictures, still = load("film_games").scene(_native.games()[name])
    with Image.open(FOLDER / "films" / f"{name}.webp") as film:
        seen = shown(film)
    assert len(seen) == len(pictures) == 100
    for before, after in zip(pictures, seen, strict=True):
        assert np.array_equal(before, after)
    with Image.open(FOLDER / "stills" / f"{name}.webp") as picture:
        assert np.array_equal(picture.convert("RGB"), pictures[still])
