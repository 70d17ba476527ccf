"""The command line."""

from __future__ import annotations

import contextlib
import errno
import json
import re
import sys
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from PIL import Image

from common import module_at, start_python, take_roms_away
from films import decoded
from pyale_ma import _native, roms
from pyale_ma._base.text import printable
from pyale_ma.cli import main, parser
from pyale_ma.games import modes, rom_files
from pyale_ma.screen.film import Film

ROOT = Path(__file__).parents[2]
COMMANDS = [
    name
    for name, _ in module_at(ROOT / "docs" / "tools" / "generate_command_line.py").commands(
        parser()
    )
]


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    for command in COMMANDS:
        assert " " in command or f"    {command}" in out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    release = f"pyale-ma {_native.VERSION}, libale's ABI {_native.ABI_VERSION}"
    told = capsys.readouterr().out
    assert re.fullmatch(rf"{re.escape(release)}, commit ([0-9a-f]{{12}}(-dirty)?|unknown)\n", told)


def test_as_a_module() -> None:
    result = start_python("-m", "pyale_ma", "list", "pong")
    assert result.returncode == 0
    assert "pong" in result.stdout


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command says that fails, in one line."""
    try:
        status: object = main(arguments)
    except SystemExit as end:
        status = end.code
    captured = capsys.readouterr()
    assert status == 2
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    return line


@pytest.mark.parametrize("command", [[], ["card"]])
def test_without_a_command_the_help_is_shown(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(f"usage: {' '.join(['pyale-ma', *command])} [-h]")


# Arguments of which each kind fails in its own place.
WRONG = """
demo --variation hard
list /nonexistent.toml
bench /nonexistent.toml
demo pung
demo pong --frames x
demo pong --rom /nonexistent
record pong
record pong -o film.avi
record pong -o /nonexistent/film.gif
record pong -o /nonexistent/film.mp4
play pung
play pong --keys /nonexistent
list pung
bench pung
bench pong --seconds 0
bench pong --seconds nan
completion
completion tcsh
doctor pong
roms import
roms import /nonexistent
""".strip().splitlines()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *((line, "pyale-ma") for line in WRONG),
        ("dmeo", "pyale-ma: there is no command 'dmeo'; did you mean 'demo'?; see pyale-ma --help"),
        ("games", "pyale-ma: there is no command 'games'; did you mean 'list'?; see "),
        ("web card.toml", "pyale-ma web: the page plays games, not cards: pyale-ma play "),
        ("card chek", "pyale-ma card: there is no command 'chek'; did you mean 'check'?; see "),
        ("demo --x", "pyale-ma demo: unrecognized arguments: --x; see pyale-ma demo --help"),
        ("roms import a --x", "pyale-ma roms import: unrecognized arguments: --x; see "),
        (
            "demo --frames 0",
            "pyale-ma demo: argument --frames: 0 is below 1; see pyale-ma demo",
        ),
        ("demo pong --difficulty 9", "pyale-ma demo: pong has no difficulty 9; it has 0-3"),
        (
            "demo pong_v3 --players 3",
            "pyale-ma demo: num_players is 3; pong_v3 is for 2, 4",
        ),
        ("keys --keys /nonexistent", "pyale-ma keys: /nonexistent: No such file or directory"),
        ("demo --seed -5", "pyale-ma demo: argument --seed: -5 is below 0; see "),
        ("record pong -o film.gif --seed -5", "pyale-ma record: argument --seed: -5 is below 0"),
        ("demo pong --mode 99 --players 1", "pyale-ma demo: pong has no mode 99 for 1 player; it "),
        ("demo pong --mode 99 --players 2", "pyale-ma demo: pong has no mode 99 for 2 players; it"),
        ("demo breakout --players 4", "pyale-ma demo: breakout is for 1 player, not for 4: see "),
    ],
)
def test_errors_are_one_line(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(arguments.split(), capsys).startswith(message)


def test_a_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "/somewhere/else")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    film = tmp_path / "film.gif"
    assert main(["record", "pong", "-o", str(film)]) == 2
    assert capsys.readouterr().err == f"pyale-ma record: {film}: Read-only file system\n"


@pytest.mark.parametrize(
    ("told", "name", "agents"),
    [
        ("", "quartet_v0", 4),
        ("quartet_v0", "quartet_v0", 4),
        ("warlords_v3", "warlords_v3", 4),
        ("pong_v3", "pong_v3", 2),
        ("pong_v3 --players 4", "pong_v3", 4),
        ("pong_v3 --mode 11", "pong_v3", 4),  # which is for four
        ("--players 2 --mode 8 --difficulty 1", "quartet_v0", 2),
    ],
)
def test_demo_with_agents(
    told: str,
    name: str,
    agents: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *told.split(), "--frames", "40"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{name}, {agents} agents: 40 frames")
    assert [line.split()[0] for line in lines[1:-1]] == list(AGENTS[:agents])
    assert [file.name for file in tmp_path.iterdir()] == [f"{name}.gif"]


def test_a_second_demo_has_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for extra in ([], [], ["--force"]):
        assert main(["demo", "quartet", "--players", "2", "--frames", "8", *extra]) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["quartet-1.gif", "quartet.gif"]


def test_a_full_disk_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Film, "_write_pictures", fill)
    film = tmp_path / "film.gif"
    assert main(["record", "pong", "--frames", "8", "-o", str(film)]) == 2
    assert capsys.readouterr().err == f"pyale-ma record: {film}: No space left on device\n"


AGENTS = ("first_0", "second_0", "third_0", "fourth_0")


@pytest.mark.parametrize("game", ["ALE/Pong-v5", "pyale_ma/Pong-v5", "Pong", "pyale_ma/Quartet-v0"])
def test_ids_are_names_of_games(game: str, tmp_path: Path) -> None:
    assert main(["demo", game, "--frames", "8", "-o", str(tmp_path / "film.png")]) == 0


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines[1:]} == set(roms.game_names())
    assert main(["list", "space_invaders", "--players", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["space_invaders", "1", "0-1", "0-15"]


def test_cards_are_listed_and_measured(capsys: pytest.CaptureFixture[str]) -> None:
    card = str(Path(__file__).parents[1] / "cards" / "pong.toml")
    assert main(["list", card]) == 0
    (line,) = capsys.readouterr().out.splitlines()[1:]
    assert line.split() == ["pong", "1", "0-3", "0-1"]
    assert main(["list", card, "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed["id"] is None
    assert listed["ways"][0]["modes"] == [0, 1]
    assert main(["bench", card, "quartet", "--seconds", "0.01", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert {result["game"] for result in results} == {card, "quartet"}
    assert {result["ale_py"] for result in results} == {None}  # it has neither
    assert main(["bench", "quadrapong_v4", "--seconds", "0.01", "--json"]) == 0
    assert {r["game"] for r in json.loads(capsys.readouterr().out)["results"]} == {"pong"}
    assert main(["bench", card, "--seconds", "0.01"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 4


def test_list_says_what_modes_are_called(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list", "quartet", "entombed", "combat", "--players", "2"])
    told = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]
    for row in (
        ["quartet", "2", "8", "teams"],
        ["entombed", "2", "3", "cooperative"],
        ["combat", "2", "1", "tank"],
        ["combat", "2", "14", "tank, maze, invisible, billiard hit"],
        ["combat", "2", "16", "bi-plane"],
    ):
        assert row in told
    main(["list", "quartet", "--json"])
    (quartet,) = json.loads(capsys.readouterr().out)
    assert [way["mode_names"].get("18") for way in quartet["ways"]] == [None, None, "commons"]


def test_list_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    listed = {game["name"]: game for game in json.loads(capsys.readouterr().out)}
    assert list(listed) == roms.game_names()
    for game in listed.values():
        assert game["id"] is None or game["id"] in gymnasium.registry
    pong = listed["pong"]
    assert pong["md5"] == rom_files._md5(roms.find_rom("pong"))
    assert [way["players"] for way in pong["ways"]] == [1, 2, 4]
    assert pong["ways"][0]["modes"] == [0, 1]
    assert "RIGHTFIRE" in pong["ways"][0]["actions"]
    assert main(["list", "pong", "breakout", "--players", "4", "--json"]) == 0
    (pong,) = json.loads(capsys.readouterr().out)
    assert [way["players"] for way in pong["ways"]] == [4]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([0, 1, 2, 5, 7, 8], "0-2, 5, 7-8"),
        ([100 * i + j for i in range(20) for j in (0, 1)], "0-1, 100-101, ..., 1900-1901"),
        ([*range(0, 40, 2), 41], ", ".join(map(str, range(0, 38, 2))) + ", 38, 41"),
    ],
)
def test_ranges(numbers: list[int], text: str) -> None:
    assert modes.ranges(numbers) == text


@pytest.mark.parametrize("command", ["demo", "record"])
@pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
def test_films(
    command: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"film{suffix}"
    assert main([command, "pong", "--frames", "60", "-o", str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    with Image.open(file) as film:
        assert film.size == (320, 210)
        if suffix != ".png":
            assert 1 < film.n_frames <= 30  # equal pictures are joined


@pytest.mark.parametrize("when", ["playing", "saving"])
@pytest.mark.parametrize("is_there", [True, False])
def test_an_interrupted_film_leaves_what_was_there(
    when: str, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "film.gif"
    if is_there:
        file.write_bytes(b"a good film")
    if when == "playing":
        monkeypatch.setattr(_native.Env, "act", interrupt)
    else:
        monkeypatch.setattr(Image.Image, "save", interrupt)
    for command in ("demo", "record"):
        assert main([command, "pong", "--frames", "8", "--force", "-o", str(file)]) == 130
    assert [path.name for path in tmp_path.iterdir()] == ["film.gif"] * is_there
    assert not is_there or file.read_bytes() == b"a good film"


def test_a_film_replaces_another(tmp_path: Path) -> None:
    file = tmp_path / "film.png"
    file.write_bytes(b"a good film")
    (tmp_path / "link.png").symlink_to(file)
    command = ["record", "ALE/Pong-v5", "--frames", "8", "-o", str(tmp_path / "link.png")]
    assert main(command) == 2
    assert file.read_bytes() == b"a good film"
    assert main([*command, "--force"]) == 0
    with Image.open(file) as film:
        assert film.size == (320, 210)
    assert (tmp_path / "link.png").is_symlink()


def test_film_shows_the_screen(tmp_path: Path) -> None:
    env = _native.Env(_native.Rom(roms.find_rom("pong").read_bytes()))
    env.act(repeat=40)
    film = Film(str(tmp_path / "film.png"))
    film.take(env)
    with Image.open(film.save()) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    assert np.array_equal(pixels[:, ::2], env.screen(_native.Pixels.RGB))


def test_films_of_mp4_show_all_screens(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    env = _native.Env(_native.Rom(roms.find_rom("seaquest").read_bytes()), sound=True)
    film, shown = Film(tmp_path / "film.mp4"), []
    for _ in range(90):
        env.act()
        film.take(env)
        shown.append(env.screen(_native.Pixels.RGB))
    file = film.save()
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]
    pictures = np.frombuffer(decoded(file, "-f", "rawvideo", "-pix_fmt", "rgb24"), np.uint8)
    pictures = pictures.reshape(90, 420, 640, 3)
    for picture, screen in zip(pictures, shown, strict=True):
        assert np.abs(picture[::2, ::4].astype(int) - screen).mean() < 6  # nearly, by H.264


def test_mp4_needs_a_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert main(["record", "pong", "-o", str(tmp_path / "film.mp4")]) == 2
    assert capsys.readouterr().err.endswith("pip install imageio-ffmpeg\n")


def test_bench(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "pong", "--seconds", "0.01"]) == 0
    about, table = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in about.splitlines()[:3]] == [
        "processor",
        "cores",
        "instructions",
    ]
    lines = table.splitlines()
    assert len(lines) == 5
    assert "act" in lines[1]


def test_bench_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "quartet", "--seconds", "0.01", "--envs", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["machine"]["cores"] >= 1
    assert told["machine"]["pyale_ma"] == _native.VERSION
    assert {result["game"] for result in told["results"]} == {"quartet"}
    assert all(result["pyale_ma"] > 0 for result in told["results"])
    assert len(told["results"]) == 5
    assert told["results"][-1]["what"] == "AtariVectorEnv.step, 3"


def test_films_of_opponents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The players that know a game decide which is played; the same seed plays the same."""
    films = [tmp_path / f"{name}.webp" for name in "abc"]
    levels = (["strong"], ["strong", "strong"], ["strong", "sticky"])
    for film, by in zip(films, levels, strict=True):
        command = ["record", "quartet", "--players", "2", "--mode", "2", "--frames", "60"]
        assert main([*command, "--by", *by, "-o", str(film)]) == 0
    same, _, other = (film.read_bytes() for film in films)
    assert films[1].read_bytes() == same != other
    capsys.readouterr()
    assert main(["record", "boxing", "--by", "weak", "weak", "weak", "-o", "d.gif"]) == 2
    assert "--by has 3 levels; boxing for 2 players" in capsys.readouterr().err


def test_roms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pong = roms.find_rom("pong")
    take_roms_away(monkeypatch, tmp_path / "user")
    assert main(["roms"]) == 0
    assert "108 missing" in capsys.readouterr().out
    source = tmp_path / "source"
    source.mkdir()
    assert main(["roms", "import", str(source)]) == 2
    (source / "a.bin").write_bytes(pong.read_bytes())
    capsys.readouterr()
    assert main(["roms", "import", str(source)]) == 0
    assert main(["roms"]) == 0
    out = capsys.readouterr().out
    assert "1 ROM files copied" in out
    assert "1 in" in out
    assert "2 of 109 games have a ROM file" in out
    assert "107 missing" in out


def test_names_do_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path may have any character, also those that begin what a terminal obeys."""
    card = tmp_path / "\x1b[2Jevil\r\u202e.toml"
    card.write_text("?")
    odd = tmp_path / "\x1b]0;title\x07.bin"
    odd.write_bytes(b"nothing that is known")
    for arguments in (
        ["card", "check", str(card)],
        ["card", "check", f"{card}.missing.toml"],
        ["card", "new", str(odd), "-o", str(tmp_path / "\x1b[31mnew.toml")],
        ["record", "pong", "-o", str(tmp_path / "\x1b[31m.txt")],
        ["record", "pong", "--frames", "\x1b[31m"],
        ["roms", "import", str(odd)],
        ["roms", "import", f"{odd}.missing"],
    ):
        with contextlib.suppress(SystemExit):
            main(arguments)
        out, err = capsys.readouterr()
        assert out or err
        assert "\x1b" not in out + err, arguments
        assert all(line.isprintable() for line in (out + err).splitlines()), arguments


def test_printable() -> None:
    assert printable("Ms. Pac-Man é 吃豆人") == "Ms. Pac-Man é 吃豆人"
    assert printable(Path("a\x1b[2J\n\u202e\udc80")) == r"a\x1b[2J\n\u202e\udc80"
