"""``pyale-ma play``: keys, gamepads, saved states, films, and what is drawn over the picture."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image

from pyale_ma import _native
from pyale_ma.cli import keys, main, overlay, play, seating
from pyale_ma.cli.controls import Controls
from pyale_ma.cli.history import History
from pyale_ma.multi import pong_v3
from pyale_ma.opponents import ConsoleOpponents, available
from pyale_ma.recording import Recording
from pyale_ma.screen.film import Film
from pyale_ma.screen.window import Window
from pyale_ma.single import Action, AtariEnv

pygame: Any = pytest.importorskip("pygame")

Script = dict[int, list[Any]]
QUIT = pygame.event.Event(pygame.QUIT)
PANEL_WIDTH = 556  # of the RAM with one column of labels


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.setattr(keys, "usual_file", lambda: tmp_path / "none.toml")
    monkeypatch.chdir(tmp_path)
    pygame.display.init()
    # The dummy's is smaller than what people have.
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1920, 1080)])
    yield
    pygame.quit()


def press(key: str) -> Any:
    pygame.display.init()  # who knows the keys
    return pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(key))


def release(key: str) -> Any:
    return pygame.event.Event(pygame.KEYUP, key=pygame.key.key_code(key))


class Played:
    """Frames of a session, one by one."""

    def __init__(self) -> None:
        self.session: Any = None
        self.actions: list[list[int]] = []
        self.frames: list[int] = []
        self.mode = 0
        self.messages: list[str] = []
        self.windows: list[np.ndarray] = []


@pytest.fixture
def perform(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Played]:
    """Play with events, by the number of the frame at whose end they come; functions are called."""

    def perform(script: Script, *arguments: str, look: bool = False, status: int = 0) -> Played:
        played, counter = Played(), itertools.count(1)
        show, say = Window.show, overlay.Overlay.say
        make, flip = play.Session.__init__, Window._flip

        def remember(self: Any, *arguments: Any, **options: Any) -> None:
            make(self, *arguments, **options)
            played.session = self

        def perform_and_show(self: Window, rgb: np.ndarray, samples: Any = None) -> None:
            env = played.session._env
            played.actions.append(list(env.actions)[: env.report.players])
            played.frames.append(env.report.frame_number)
            played.mode = env.report.mode
            for event in script.get(next(counter), ()):
                if callable(event):
                    event()
                else:
                    pygame.event.post(event)
            show(self, rgb, samples)

        def hear(self: overlay.Overlay, message: str) -> None:
            played.messages.append(message)
            say(self, message)

        def keep(self: Window) -> None:
            pixels = pygame.surfarray.array3d(self._window.get_surface())
            played.windows.append(pixels.swapaxes(0, 1))
            flip(self)

        monkeypatch.setattr(play.Session, "__init__", remember)
        monkeypatch.setattr(Window, "show", perform_and_show)
        monkeypatch.setattr(overlay.Overlay, "say", hear)
        if look:
            monkeypatch.setattr(Window, "_flip", keep)
        assert main(["play", *arguments, "--silent"]) == status
        return played

    return perform


def test_keys_are_actions(perform: Callable[..., Played]) -> None:
    script = {
        1: [press("up"), press("right"), press("space")],
        2: [release("up")],
        3: [press("left")],  # against right
        4: [release("right"), release("space")],
        5: [pygame.event.Event(pygame.WINDOWFOCUSLOST)],
        6: [QUIT],
    }
    names = ["NOOP", "UPRIGHTFIRE", "RIGHTFIRE", "FIRE", "LEFT", "NOOP"]
    assert perform(script, "seaquest").actions == [[Action[name].value] for name in names]


@pytest.mark.parametrize("game", ["pong", "quartet"])
def test_up_and_down_turn_paddles(perform: Callable[..., Played], game: str) -> None:
    script = {
        1: [press("up"), press("space")],
        2: [press("right")],
        3: [press("down")],  # against up and right
        4: [release("up"), release("right"), release("space")],
        5: [QUIT],
    }
    names = ["NOOP", "RIGHTFIRE", "RIGHTFIRE", "FIRE", "LEFT"]
    assert perform(script, game).actions == [[Action[name].value] for name in names]


def test_four_at_one_keyboard(perform: Callable[..., Played]) -> None:
    script = {1: [press("left"), press("d"), press("h"), press("[0]")], 2: [QUIT]}
    played = perform(script, "warlords", "--players", "4")
    assert played.actions[1] == [Action[name].value for name in ("LEFT", "RIGHT", "FIRE", "FIRE")]
    assert played.messages == ["F1: help"]  # h is player 3's


def test_own_keys(perform: Callable[..., Played], tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[player1]\nup = "e"\n[commands]\nquit = "x"\nhelp = []\n')
    played = perform({1: [press("e")], 2: [press("x")]}, "pong", "--keys", str(file))
    assert played.actions[1] == [Action.RIGHT.value]  # a paddle's
    assert played.messages == []


@pytest.mark.parametrize(
    ("text", "players", "word"),
    [
        ('[player1]\nup = "spce"', "1", "player1.up is 'spce'"),
        ('[commands]\nquit = "nonsense"', "1", "commands.quit is 'nonsense'"),
        ('[player1]\nup = "w"', "2", "the key 'w' is both player 1's and 2's"),
    ],
)
def test_keys_that_cannot_be(
    text: str, players: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    assert main(["play", "pong", "--players", players, "--keys", str(file)]) == 2
    error = capsys.readouterr().err
    assert word in error
    assert len(error.splitlines()) == 1


def test_pause_and_frame_by_frame(perform: Callable[..., Played]) -> None:
    script = {
        3: [press("p")],
        6: [press("n")],
        8: [press("n"), press("n")],
        11: [press("p")],
        13: [QUIT],
    }
    frames = np.diff(perform(script, "pong").frames).tolist()
    assert frames == [1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1]


def test_saved_states(perform: Callable[..., Played]) -> None:
    script: Script = {
        2: [press("f8")],
        10: [press("f5")],
        30: [press("f7"), press("f8")],
        40: [*[press("f7")] * 4, press("f8")],
        41: [QUIT],
    }
    played = perform(script, "pong")
    frames = played.frames
    assert frames[40] == frames[10]  # one after that of slot 1
    assert played.messages[1:] == [
        "slot 1 is empty",
        "saved in slot 1",
        "slot 2 of 5, empty",
        "slot 2 is empty",
        *[f"slot {slot} of 5, empty" for slot in (3, 4, 5)],
        "slot 1 of 5, saved",
        "loaded from slot 1",
    ]


def test_rewind(perform: Callable[..., Played]) -> None:
    """To a full second, ten of them before, but not beyond the beginning."""
    script = {
        130: [press("f6")],
        140: [press("f6")],
        900: [press("f6"), press("p")],
        901: [press("f6")],
        902: [QUIT],
    }
    played = perform(script, "pong")
    frames, first = played.frames, played.frames[0] - 1
    assert frames[130] == frames[140] == first + 1  # one after the beginning
    # 760 frames were played since then; 160 are two full seconds and a part.
    assert frames[900] == first + 120
    assert frames[901] == first
    assert played.messages[1:] == [f"{x} seconds back" for x in ("2.2", "0.2", "10.7", "2.0")]


def test_rewind_keeps_a_minute() -> None:
    """Sixty full seconds, of which the last is now; the first has its random numbers again."""
    ale, states = AtariEnv("quartet").ale, []
    history = History(ale._env, fps=1)
    for second in range(1, 71):
        ale.act(second % 6)
        history.add([second])
        states.append(ale.cloneSystemState())
    assert history.back(100) == (59.0, [11])
    assert ale.cloneSystemState() == states[10]


def test_rewound_play_is_recorded(perform: Callable[..., Played]) -> None:
    script = {70: [press("left")], 90: [press("f6")], 120: [QUIT]}
    played = perform(script, "quartet", "--record", "play.zip")
    recording = Recording.open("play.zip")
    assert recording.verify()
    assert recording.array("actions")[:, 0].tolist() == played.actions


def test_slow_motion(perform: Callable[..., Played], monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []
    monkeypatch.setattr(pygame.time, "Clock", lambda: SimpleNamespace(tick=rates.append))
    script = {frame: [press("f12")] for frame in (2, 3, 4)} | {6: [QUIT]}
    perform(script, "pong")
    assert rates == [60, 30, 15, 60, 60]


# ---- Against opponents ---------------------------------------------------------------------------


def test_against(perform: Callable[..., Played]) -> None:
    """The keys are those of the person's seat; the opponent decides in every fourth frame."""
    script = {1: [press("right")], 60: [release("right")], 400: [QUIT]}
    played = perform(script, "pong", "--against", "strong", "--seat", "2")
    assert (len(played.actions[0]), played.mode) == (2, 4)  # what it knows
    assert {own for _, own in played.actions[1:60]} == {Action.RIGHT.value}
    assert {own for _, own in played.actions[60:]} == {Action.NOOP.value}
    others = [other for other, _ in played.actions]
    assert {len({*others[start : start + 4]}) for start in range(0, 400, 4)} == {1}
    assert len({*others}) > 2
    assert played.session.scores[0] > played.session.scores[1]


def test_environments_for_several_agents(perform: Callable[..., Played]) -> None:
    """Their names stand for game, number of players and mode, unless others are chosen."""
    for given, expected in (
        (("pong_v3",), ("pong", 2, 4)),
        (("pong_v3", "--mode", "3"), ("pong", 2, 3)),
        (("quartet_v0", "--against", "strong"), ("quartet", 4, 6)),
        (("pong_v3", "--players", "4"), ("pong", 4, 6)),
        (("quartet_v0", "--players", "2"), ("quartet", 2, 2)),
    ):
        played = perform({3: [QUIT]}, *given)
        assert (played.session._title, len(played.actions[0]), played.mode) == expected


def test_what_opponents_know_is_played(
    perform: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual number of players, unless the trained ones know only another one."""
    for given, players in ((("strong",), 4), (("random",), 4), (("weak", "--players", "2"), 2)):
        played = perform({3: [QUIT]}, "quartet", "--against", *given)
        assert len(played.actions[0]) == players
    two = [each for each in available() if each.players == 2]
    monkeypatch.setattr(seating, "available", lambda: two)
    assert len(perform({3: [QUIT]}, "quartet", "--against", "strong").actions[0]) == 2


def test_two_people_against_others(perform: Callable[..., Played]) -> None:
    script = {1: [press("right"), press("a")], 60: [QUIT]}
    arguments = ("--players", "4", "--against", "random", "--seat", "4", "2")
    first, second, third, fourth = zip(*perform(script, "quartet", *arguments).actions, strict=True)
    assert {*second[1:]} == {Action.RIGHT.value}
    assert {*fourth[1:]} == {Action.LEFT.value}
    assert len({*first}) > 1
    assert len({*third}) > 1


def test_opponents_of_cards(perform: Callable[..., Played], tmp_path: Path) -> None:
    card = tmp_path / "my.toml"
    card.write_text((Path(__file__).parents[1] / "cards" / "pong_players.toml").read_text())
    played = perform({9: [press("escape")]}, str(card), "--against", "sticky")
    assert played.messages[1:] == []
    assert len(played.actions[-1]) == 2


def test_opponents_begin_anew(
    perform: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a restart, a loaded state, and ten seconds back."""
    begin, begun, counts = ConsoleOpponents.begin, [], []

    def note(self: ConsoleOpponents) -> None:
        begun.append(self)
        begin(self)

    monkeypatch.setattr(ConsoleOpponents, "begin", note)
    script: Script = {3: [press("f5")], 11: [QUIT]}
    for frame, key in ((4, "f8"), (6, "f6"), (8, "r")):
        script[frame] = [press(key)]
        script[frame + 1] = [lambda: counts.append(len(begun))]
    perform(script, "quartet", "--players", "2", "--against", "random")
    assert counts == [2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("breakout", "--seat", "1"), "--seat needs --against, which names the opponents"),
        (("ice_hockey", "--against", "strong"), "there is no strong player of ice_hockey"),
        (
            ("venture", "--against", "random"),
            "venture has no modes for several players",
        ),
        (("pong", "--against", "weak", "--mode", "3"), "players were trained for pong for 2"),
        (("pong", "--against", "weak", "--seat", "3"), "--seat is 3; pong .* has 1 to 2"),
        (("pong", "--against", "weak", "--seat", "2", "1"), r"--seat is \[1, 2\]: no seat is left"),
        (("pong", "--against", "mighty"), "invalid choice: 'mighty'"),
    ],
)
def test_opponents_that_cannot_be(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["play", *arguments, "--silent"])
    except SystemExit as stopped:
        status = stopped.code  # type: ignore[assignment]
    assert status == 2
    assert re.search(message, capsys.readouterr().err)


def test_narrow_windows(perform: Callable[..., Played], monkeypatch: pytest.MonkeyPatch) -> None:
    window: Any = None

    def narrow() -> None:
        window.size = (100, 100)

    script: Script = {2: [press("m")], 4: [narrow], 6: [press("m")], 8: [press("m")], 10: [QUIT]}
    made = pygame.Window

    def make(*arguments: Any, **options: Any) -> Any:
        nonlocal window
        window = made(*arguments, **options)
        return window

    monkeypatch.setattr(pygame, "Window", make)
    assert len(perform(script, "pong").frames) == 10


def test_a_gamepad_that_is_gone(perform: Callable[..., Played]) -> None:
    script = {2: [pygame.event.Event(pygame.JOYDEVICEADDED, device_index=0)], 4: [QUIT]}
    assert len(perform(script, "pong").frames) == 4


def test_play_is_recorded(perform: Callable[..., Played]) -> None:
    """With the states that were loaded and the restarts."""
    script = {
        3: [press("space"), press("right")],
        9: [press("f5")],
        15: [press("left")],
        20: [press("f8")],
        30: [press("r")],
        40: [QUIT],
    }
    played = perform(script, "quartet", "--players", "2", "--record", "play.zip")
    recording = Recording.open("play.zip")
    verdict = recording.verify()
    assert verdict, verdict
    assert (verdict.complete, verdict.given) == (True, 1)
    assert recording.array("actions")[:, 0].tolist() == played.actions


def test_scores_are_saved_and_restarted(
    perform: Callable[..., Played],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    act = _native.Env.act

    def act_and_win(self: _native.Env, count: int = 1, repeat: int = 1) -> None:
        act(self, count, repeat)
        self.report.rewards[0] = 5

    monkeypatch.setattr(_native.Env, "act", act_and_win)
    titles: list[str] = []
    monkeypatch.setattr(Window, "set_title", lambda self, title: titles.append(title))
    script = {2: [press("f5")], 4: [press("f8")], 6: [QUIT]}
    perform(script, "pong")
    assert titles == [f"pong  {score}" for score in (5, 10, 15, 20, 10, 15, 20)]
    assert "score 20" in capsys.readouterr().out
    titles.clear()
    perform({2: [press("r")], 3: [QUIT]}, "pong")
    assert titles == ["pong  5", "pong  10", "pong  0", "pong  5"]


def test_films_and_pictures(
    perform: Callable[..., Played], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pong-1.gif").write_bytes(b"an earlier film")
    script = {
        2: [press("f9")],
        12: [press("f9"), press("f10")],
        13: [press("f9")],
        40: [QUIT],  # the film that is still taken is saved
    }
    played = perform(script, "pong", "--films", "gif")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "pong-1.gif",
        "pong-1.png",
        "pong-2.gif",
        "pong-3.gif",
    ]
    assert (tmp_path / "pong-1.gif").read_bytes() == b"an earlier film"
    assert played.messages[1:] == ["pong-2.gif", "pong-1.png"]
    assert "pong-3.gif" in capsys.readouterr().out
    with Image.open(tmp_path / "pong-2.gif") as film, Image.open(tmp_path / "pong-1.png") as shot:
        assert film.size == shot.size == (320, 210)


def test_what_cannot_be_written_is_said(
    perform: Callable[..., Played],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(self: Film) -> Path:
        raise OSError("no room on the disk")

    save = Film.save
    monkeypatch.setattr(Film, "save", full)
    # A film that cannot be saved goes on; at the end the command fails.
    script = {1: [press("f10")], 2: [press("f9")], 3: [press("f9")], 4: [QUIT]}
    assert perform(script, "pong", status=2).messages[1:] == ["no room on the disk"] * 2
    captured = capsys.readouterr()
    assert captured.out.startswith("score ")
    assert captured.err == "pyale-ma play: no room on the disk\n"

    monkeypatch.setattr(Film, "save", save)
    perform({1: [press("p"), press("f9")], 4: [QUIT]}, "pong")
    assert "there is no picture" in capsys.readouterr().out

    def absent(*_: object) -> None:
        raise ImportError("imageio-ffmpeg is needed")

    monkeypatch.setattr(Film, "__init__", absent)
    played = perform({1: [press("f9")], 4: [QUIT]}, "pong")
    assert played.messages[-1] == "imageio-ffmpeg is needed"


def test_help_and_ram_are_drawn(perform: Callable[..., Played]) -> None:
    script = {
        200: [press("f1")],  # the message of the beginning is gone
        202: [press("f1"), press("m")],
        204: [press("m")],
        206: [press("p")],
        208: [QUIT],
    }
    played = perform(script, "pong", look=True)
    plain = played.windows[198]
    height, width = plain.shape[:2]
    assert (width, height) == (960, 630 + overlay.Overlay.FOOT)
    changed = (played.windows[200] != plain).any(axis=2)
    assert 0.2 < changed.mean() < 0.95  # the help
    assert played.windows[202].shape == (height, width + PANEL_WIDTH, 3)
    assert played.windows[202][:, width:].any()
    assert played.windows[205].shape == plain.shape
    corner = (slice(0, 60), slice(0, 160))
    assert (played.windows[206][corner] != plain[corner]).any()  # "paused"
    assert plain[-overlay.Overlay.FOOT :].any()  # the score


def test_the_ram_stays_on_the_screen(
    perform: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a small desktop the window gets as wide as that, and the picture smaller."""
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1366, 768)])
    lefts: list[int] = []
    resize = Window._resize

    def move_and_resize(self: Window, *size: int) -> None:
        self._window.position = (203, 9)
        resize(self, *size)
        lefts.append(self._window.position[0])

    monkeypatch.setattr(Window, "_resize", move_and_resize)
    script = {2: [press("m")], 4: [press("m")], 6: [press("m")], 8: [QUIT]}
    played = perform(script, "seaquest", look=True)
    assert [played.windows[frame].shape[1] for frame in (0, 2, 4, 6)] == [960, 1366, 960, 1366]
    assert lefts == [0, 203, 0]
    assert played.windows[6][:, 1366 - PANEL_WIDTH :].any()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
@pytest.mark.parametrize("where", ["play", "watch", "single", "multi"])
def test_without_a_display(
    where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pygame.quit()
    for variable in ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    words = "there is no display for a window.*SDL_VIDEODRIVER=dummy"
    if where == "single":
        with pytest.warns(UserWarning, match=f"played unseen: {words}"):
            check_env(gymnasium.make("pyale_ma/Pong-v5").unwrapped)
    elif where == "multi":
        env = pong_v3.parallel_env(render_mode="human")
        env.reset()
        with pytest.raises(RuntimeError, match=words):
            env.render()
    else:
        assert main([where, "pong"]) == 2
        assert re.search(words, capsys.readouterr().err)
    assert not pygame.display.get_init()


class Pad:
    def __init__(self, number: int, hats: int = 1) -> None:
        self._number, self._hats = number, hats

    def get_instance_id(self) -> int:
        return self._number

    def get_numhats(self) -> int:
        return self._hats


def test_gamepads(monkeypatch: pytest.MonkeyPatch) -> None:
    pads = [Pad(70), Pad(80, hats=0), Pad(90)]
    monkeypatch.setattr(pygame.joystick, "Joystick", lambda index: pads[index])
    made = Controls(pygame, keys.Keys(), 2)

    def do(kind: int, pad: int = 70, **what: Any) -> tuple[str, str]:
        assert made.handle(SimpleNamespace(type=kind, instance_id=pad, **what)) is None
        return Action(made.action(0)).name, Action(made.action(1)).name

    do(pygame.JOYAXISMOTION, axis=0, value=1.0)  # of a pad that nobody has announced
    for index in (0, 1, 2, 0):
        do(pygame.JOYDEVICEADDED, device_index=index)
    assert made.pads == 2  # the third has no player
    assert do(pygame.JOYAXISMOTION, axis=0, value=0.9) == ("RIGHT", "NOOP")
    assert do(pygame.JOYAXISMOTION, axis=1, value=-0.9) == ("UPRIGHT", "NOOP")
    assert do(pygame.JOYAXISMOTION, axis=4, value=-0.9) == ("UPRIGHT", "NOOP")
    assert do(pygame.JOYAXISMOTION, axis=0, value=0.2) == ("UP", "NOOP")
    assert do(pygame.JOYAXISMOTION, axis=1, value=0.0) == ("NOOP", "NOOP")
    assert do(pygame.JOYHATMOTION, hat=0, value=(-1, -1)) == ("DOWNLEFT", "NOOP")
    assert do(pygame.JOYHATMOTION, hat=0, value=(0, 0)) == ("NOOP", "NOOP")
    assert do(pygame.JOYBUTTONDOWN, button=11) == ("NOOP", "NOOP")  # this one has a hat
    assert do(pygame.JOYBUTTONDOWN, 80, button=11) == ("NOOP", "UP")
    assert do(pygame.JOYBUTTONDOWN, 80, button=2) == ("NOOP", "UPFIRE")
    assert do(pygame.JOYBUTTONUP, 80, button=11) == ("NOOP", "FIRE")
    assert do(pygame.JOYBUTTONDOWN, 90, button=0) == ("NOOP", "FIRE")
    assert do(pygame.JOYDEVICEREMOVED, 80) == ("NOOP", "NOOP")
    assert made.pads == 1
    do(pygame.JOYDEVICEADDED, device_index=2)
    assert do(pygame.JOYBUTTONDOWN, 90, button=0) == ("NOOP", "FIRE")  # the free place
    # Keyboard and pad together: what either holds.
    made.handle(press("right"))
    assert do(pygame.JOYBUTTONDOWN, button=1) == ("RIGHTFIRE", "FIRE")
    assert do(pygame.JOYAXISMOTION, axis=0, value=1.0) == ("RIGHTFIRE", "FIRE")
    made.handle(release("right"))
    assert Action(made.action(0)).name == "RIGHTFIRE"


def test_without_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the older pygame, or none, environments play unseen."""
    monkeypatch.delattr(pygame, "Window")
    with pytest.warns(UserWarning, match=r"pygame-ce.*pip uninstall"):
        AtariEnv("pong", render_mode="human")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.warns(UserWarning, match=r"played unseen: .*pygame"):
        AtariEnv("pong", render_mode="human").reset()


def test_windows_beside_others() -> None:
    """Two environments, and the display, events and sound of a program of its own."""
    display = pygame.display.set_mode((64, 48))
    pygame.mixer.init(22050)
    key = press("a")
    envs = [AtariEnv("pong", render_mode="human", sound_obs=True) for _ in range(2)]
    windows: list[Any] = [env.ale._window for env in envs]
    first, second = windows
    pygame.event.post(key)
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=second._window))
    for env in envs:
        env.reset()
        env.step(0)
    assert (first.is_open, second.is_open) == (True, False)
    envs[0].close()
    assert not first.is_open
    envs[1].step(0)
    assert pygame.display.get_surface() is display
    assert pygame.mixer.get_init()[0] == 22050
    assert key in pygame.event.get()
    third = Window("a game", 210)
    pygame.quit()
    third.show(np.zeros((210, 160, 3), np.uint8))
    assert not third.is_open


def test_picture_keeps_its_shape() -> None:
    places = []
    window = Window("a game", 210, line=2, on_draw=lambda screen, place: places.append(place))
    window._window.size = (1600, 420)
    window.show(np.zeros((210, 160, 3), np.uint8))
    window._window.size = (640, 900)
    window.show(np.zeros((210, 160, 3), np.uint8))
    window.close()
    assert [tuple(place) for place in places] == [(480, 0, 640, 420), (0, 240, 640, 420)]
    method: Any
    for method in (lambda: window.set_panel(9), window.toggle_fullscreen):
        method()  # nothing, once it is closed
    window.set_title("closed")
    assert not window.is_open


def test_pixels_are_whole() -> None:
    places = []
    window = Window(
        "a game", 210, line=2, foot=10, on_draw=lambda screen, place: places.append(place)
    )
    for size in ((700, 500), (960, 640), (959, 640), (200, 400)):
        window._window.size = size
        window.show(np.zeros((210, 160, 3), np.uint8))
    window.close()
    assert [place.size for place in places] == [
        (640, 420),
        (960, 630),
        (640, 420),
        (200, 131),  # no room for whole ones
    ]


def test_whole_screen(perform: Callable[..., Played]) -> None:
    script = {2: [press("f11")], 4: [press("m")], 6: [press("f11")], 8: [QUIT]}
    sizes = [window.shape[:2] for window in perform(script, "pong", look=True).windows]
    assert sizes[0] == (658, 960)
    assert sizes[-1] == (658, 960 + PANEL_WIDTH)
