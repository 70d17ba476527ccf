"""``pyale-ma play``: people play."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
from pathlib import Path
from typing import Any

from pyale_ma._native import Env, Pixels, State
from pyale_ma.cli.common import (
    Commands,
    add_command,
    add_game_arguments,
    add_recording_argument,
    open_game,
    words,
)
from pyale_ma.cli.controls import Controls
from pyale_ma.cli.keys import Keys, load, title_of
from pyale_ma.cli.overlay import Overlay, help_rows
from pyale_ma.cli.terminal import words_of
from pyale_ma.film import Film
from pyale_ma.text import printable
from pyale_ma.window import Window, frame_rate, import_pygame, open_display

_SLOTS = 5
_LINE = 3.0  # pixels of the window for a line of the screen


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "play",
        "play a game yourself, with one to four players",
        epilog="F1 shows all keys; pyale-ma keys prints them, as a file for --keys.",
    )
    parser.add_argument("game")
    parser.add_argument("--silent", action="store_true", help="without sound")
    parser.add_argument(
        "--keys",
        metavar="FILE",
        help="use the keys of this file instead of your own or the default ones",
    )
    parser.add_argument(
        "--films",
        choices=("gif", "webp", "mp4"),
        help="the format of films; default: mp4 if that can be written, else gif",
    )
    add_recording_argument(parser)
    add_game_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play until the window is closed."""
    keys = load(arguments.keys)
    pygame = import_pygame()
    env = open_game(arguments, sound=not arguments.silent)
    can_mp4 = importlib.util.find_spec("imageio_ffmpeg") is not None
    session = Session(
        pygame,
        env,
        keys,
        title=arguments.game,
        sound=not arguments.silent,
        films=arguments.films or ("mp4" if can_mp4 else "gif"),
    )
    try:
        while session.is_open:
            session.step()
    finally:
        session.close()
        env.close()
    print(f"score {words(session.scores)}")


class Session:
    """A game in a window, with its players.

    Args:
        pygame: The module.
        env: The game.
        keys: Which keys mean what.
        title: What the window is called, and how names of films begin.
        sound: Whether it is heard.
        films: The suffix of films.

    Attributes:
        scores: Of the players.
    """

    def __init__(
        self, pygame: Any, env: Env, keys: Keys, *, title: str, sound: bool, films: str
    ) -> None:
        open_display(pygame)
        pygame.joystick.init()
        self._env, self._title, self._films = env, title, films
        self._players = env.report.players
        self._keys = keys
        self._controls = Controls(pygame, keys, self._players, paddles=bool(env.info.paddles))
        self._overlay = Overlay(pygame, env)
        self._window = Window(
            title,
            env.info.screen_height,
            fps=frame_rate(env.info),
            sound=sound,
            line=_LINE,
            on_event=self._handle,
            on_draw=self._overlay.draw,
        )
        self._film: Film | None = None
        self._slot = 1
        self._saved: dict[int, tuple[State, list[int]]] = {}
        self._is_paused = False
        self._frames_to_play = 0  # although it is paused
        self._commands = {
            "help": self._help,
            "pause": self._pause,
            "advance": self._advance,
            "ram": self._ram,
            "save": self._save,
            "slot": self._next_slot,
            "load": self._load,
            "film": self._begin_or_end_film,
            "picture": self._take_picture,
            "fullscreen": self._window.toggle_fullscreen,
            "restart": self._restart,
            "quit": self._window.close,
        }
        self.scores = [0] * self._players
        if named := self._controls.keys_of_commands["help"]:
            self._overlay.say(f"{title_of(named[0])}: help")

    @property
    def is_open(self) -> bool:
        """Whether the window still is."""
        return self._window.is_open

    def step(self) -> None:
        """Play a frame, unless it is paused, and show it."""
        env = self._env
        plays = not self._is_paused or self._frames_to_play > 0
        if plays:
            self._frames_to_play = max(0, self._frames_to_play - 1)
            for player in range(self._players):
                env.actions[player] = self._controls.action(player)
            was_over = env.report.terminated
            env.act(self._players)
            if any(env.report.rewards):
                self._add(list(env.report.rewards))
            if self._film:
                self._film.take(env)
            if env.report.terminated and not was_over:
                again = " or ".join(map(title_of, self._controls.keys_of_commands["restart"]))
                self._overlay.say(f"the game is over; {again}: again")
        marks = ("paused" * self._is_paused, "film" * (self._film is not None))
        self._overlay.status = "   ".join(filter(None, marks))
        self._window.show(env.screen(Pixels.RGB), env.audio if plays else None)

    def _add(self, rewards: list[int]) -> None:
        self.scores = [score + rewards[player] for player, score in enumerate(self.scores)]
        self._window.set_title(f"{self._title}  {words(self.scores)}")

    def _handle(self, event: Any) -> None:
        command = self._controls.handle(event)
        if command:
            self._commands[command]()

    def close(self) -> None:
        """End a film that is still being taken, and close the window."""
        self._window.close()
        if self._film:
            film, self._film = self._film, None
            try:
                print(printable(film.save()))
            except (ImportError, OSError, ValueError) as error:
                print(words_of(error))

    # ---- Commands --------------------------------------------------------------------------------

    def _help(self) -> None:
        self._overlay.help = (
            ()
            if self._overlay.help
            else help_rows(
                self._keys, self._controls.keys_of_commands, self._players, self._controls.pads
            )
        )

    def _pause(self) -> None:
        self._is_paused = not self._is_paused

    def _advance(self) -> None:
        self._is_paused = True
        self._frames_to_play += 1

    def _ram(self) -> None:
        self._overlay.shows_ram = not self._overlay.shows_ram
        self._window.set_panel(Overlay.PANEL_WIDTH if self._overlay.shows_ram else 0)

    def _save(self) -> None:
        state = State()
        self._env.save(state, include_random=True)
        self._saved[self._slot] = (state, self.scores)
        self._overlay.say(f"saved in slot {self._slot}")

    def _next_slot(self) -> None:
        self._slot = self._slot % _SLOTS + 1
        full = "saved" if self._slot in self._saved else "empty"
        self._overlay.say(f"slot {self._slot} of {_SLOTS}, {full}")

    def _load(self) -> None:
        if self._slot not in self._saved:
            self._overlay.say(f"slot {self._slot} is empty")
            return
        state, self.scores = self._saved[self._slot]
        self._env.restore(state)
        self._add([0] * self._players)
        self._overlay.say(f"loaded from slot {self._slot}")

    def _restart(self) -> None:
        self._env.reset()
        self.scores = [0] * self._players
        self._add(self.scores)

    def _begin_or_end_film(self) -> None:
        if self._film:
            self._say_what_is_saved(self._film)
            self._film = None
            return
        try:
            self._film = Film(self._free_name(self._films))
        except (ImportError, OSError) as error:
            self._overlay.say(words_of(error))

    def _take_picture(self) -> None:
        try:
            film = Film(self._free_name("png"))
        except OSError as error:
            self._overlay.say(words_of(error))
            return
        film.take(self._env)
        self._say_what_is_saved(film)

    def _say_what_is_saved(self, film: Film) -> None:
        try:
            self._overlay.say(f"{film.save()}")
        except (ImportError, OSError, ValueError) as error:
            self._overlay.say(words_of(error))

    def _free_name(self, suffix: str) -> Path:
        """A name that no file has yet."""
        names = (Path(f"{self._title}-{number}.{suffix}") for number in itertools.count(1))
        return next(name for name in names if not name.exists())
