"""``pyale-ma play``: people play."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
from pathlib import Path
from typing import Any

from pyale_ma._base.terminal import words_of
from pyale_ma._base.text import printable
from pyale_ma._native import Env, Game, Pixels, State
from pyale_ma.cli.common import (
    Commands,
    add_command,
    add_game_arguments,
    add_recording_argument,
    add_rules_argument,
    chosen_lineup,
    open_game,
    take_environment,
    words,
)
from pyale_ma.cli.controls import Controls
from pyale_ma.cli.history import History
from pyale_ma.cli.keys import Keys, load, title_of
from pyale_ma.cli.overlay import Overlay, help_rows
from pyale_ma.cli.seating import (
    PLAYERS,
    Seating,
    add_arguments,
    choose_players,
)
from pyale_ma.games import rom_files
from pyale_ma.games.cards import Card, source_of
from pyale_ma.opponents import Contest
from pyale_ma.screen.film import Film
from pyale_ma.screen.window import Window, frame_rate, import_pygame, open_display

_SLOTS = 5
_LINE = 3  # pixels of the window for a line of the screen
_REWIND = 10  # seconds
_SPEEDS = {1.0: "", 0.5: "half speed", 0.25: "quarter speed"}


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "play",
        "play a game yourself, with one to four players",
        example="play pong_v3 --against strong",
        epilog="F1 shows the keys.  pyale-ma keys prints all keys as a file for --keys.",
    )
    parser.add_argument("game", help="game, environment such as pong_v3, or card")
    parser.add_argument("--silent", action="store_true", help="play without sound")
    parser.add_argument(
        "--keys",
        metavar="FILE",
        help="key file to use instead of your own or the default keys",
    )
    parser.add_argument(
        "--films",
        choices=("gif", "webp", "mp4"),
        help="format of films; default: mp4 if it can be written, otherwise gif",
    )
    add_recording_argument(parser)
    add_arguments(parser)
    add_game_arguments(parser, players=PLAYERS)
    add_rules_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play until the window is closed."""
    keys = load(arguments.keys)
    pygame = import_pygame()
    take_environment(arguments)
    game = rom_files.game_of(arguments.game)
    choose_players(arguments)
    env = open_game(arguments, sound=not arguments.silent)
    session = Session(pygame, env, game, arguments, keys)
    try:
        while session.is_open:
            session.step()
        print(f"score {words(session.scores)}")
    finally:
        session.close()


class Session:
    """A game in a window, with its players.

    Args:
        pygame: The module.
        env: The game, which is closed with the session.
        game: Which one.
        arguments: From which it was opened.
        keys: Which keys mean what.

    Attributes:
        scores: Of the players.
    """

    def __init__(
        self, pygame: Any, env: Env, game: Game | Card, arguments: argparse.Namespace, keys: Keys
    ) -> None:
        open_display(pygame)
        pygame.joystick.init()
        self._pygame, self._keys = pygame, keys
        self._env, self._title, self._players = env, arguments.game, env.report.players
        played = Contest(source_of(game), self._players, env.report.mode)
        self._seating = Seating(played, chosen_lineup(arguments, self._players), env)
        self._controls = Controls(
            pygame, keys, len(self._seating.people), paddles=bool(env.info.paddles)
        )
        self._overlay = Overlay(pygame, env)
        self._window = Window(
            arguments.game,
            env.info.screen_height,
            fps=frame_rate(env.info),
            sound=not arguments.silent,
            line=_LINE,
            foot=Overlay.FOOT,
            on_event=self._handle,
            on_draw=self._overlay.draw,
        )
        can_mp4 = importlib.util.find_spec("imageio_ffmpeg") is not None
        self._films = arguments.films or ("mp4" if can_mp4 else "gif")
        self._film: Film | None = None
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
            "rewind": self._rewind,
            "slow": self._next_speed,
            "film": self._begin_or_end_film,
            "picture": self._take_picture,
            "fullscreen": self._window.toggle_fullscreen,
            "restart": self._restart,
            "quit": self._window.close,
        }
        self._slot = 1
        self._saved: dict[int, tuple[State, list[int]]] = {}
        self._history = History(env, frame_rate(env.info))
        self.scores = [0] * self._players
        if help_keys := self._controls.keys_of_commands["help"]:
            self._overlay.say(f"{title_of(help_keys[0])}: help")

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
            for person, seat in enumerate(self._seating.people):
                env.actions[seat] = self._controls.action(person)
            self._seating.choose(env)
            was_over = env.report.terminated
            env.act(self._players)
            if any(env.report.rewards):
                self._add(list(env.report.rewards))
            self._history.add(self.scores)
            if self._film:
                self._film.take(env)
            if env.report.terminated and not was_over:
                again = " or ".join(map(title_of, self._controls.keys_of_commands["restart"]))
                self._overlay.say(f"the game is over; {again}: again")
        marks = (
            str(self._seating),
            "paused" * self._is_paused,
            _SPEEDS[self._window.speed],
            "film" * (self._film is not None),
        )
        self._overlay.status = "   ".join(filter(None, marks))
        self._overlay.scores = self.scores
        self._window.show(env.screen(Pixels.RGB), env.audio if plays else None)

    def _add(self, rewards: list[int]) -> None:
        self._show_scores([score + rewards[player] for player, score in enumerate(self.scores)])

    def _show_scores(self, scores: list[int]) -> None:
        self.scores = scores
        self._window.set_title(f"{self._title}  {words(self.scores)}")

    def _handle(self, event: Any) -> None:
        command = self._controls.handle(event)
        if command:
            self._commands[command]()

    def close(self) -> None:
        """Close window and game, and save a film that is still being taken.

        Raises:
            OSError: It cannot be saved.
        """
        self._window.close()
        self._env.close()
        film, self._film = self._film, None
        if film:
            try:
                print(printable(film.save()))
            except ValueError as error:  # it has no picture
                print(words_of(error))

    # ---- Commands --------------------------------------------------------------------------------

    def _help(self) -> None:
        self._overlay.help = (
            ()
            if self._overlay.help
            else help_rows(
                self._keys,
                self._controls.keys_of_commands,
                len(self._seating.people),
                self._controls.pads,
            )
        )

    def _pause(self) -> None:
        self._is_paused = not self._is_paused

    def _advance(self) -> None:
        self._is_paused = True
        self._frames_to_play += 1

    def _ram(self) -> None:
        self._overlay.shows_ram = not self._overlay.shows_ram
        self._window.set_panel(self._overlay.panel_width)

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
        state, scores = self._saved[self._slot]
        self._env.restore(state)
        self._seating.begin()
        self._show_scores(scores)
        self._overlay.say(f"loaded from slot {self._slot}")

    def _rewind(self) -> None:
        seconds, scores = self._history.back(_REWIND)
        self._seating.begin()
        self._show_scores(scores)
        self._overlay.say(f"{seconds:.1f} seconds back")

    def _next_speed(self) -> None:
        speeds = list(_SPEEDS)
        self._window.speed = speeds[(speeds.index(self._window.speed) + 1) % len(speeds)]

    def _restart(self) -> None:
        self._env.reset()
        self._seating.begin()
        self._show_scores([0] * self._players)

    def _begin_or_end_film(self) -> None:
        if self._film:
            if self._saves(self._film):  # else it goes on, and can be saved later
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
        self._saves(film)

    def _saves(self, film: Film) -> bool:
        """Save a film or picture; say where, or why not."""
        try:
            self._overlay.say(f"{film.save()}")
        except (ImportError, OSError) as error:
            self._overlay.say(words_of(error))
            return False
        except ValueError as error:  # it has no picture
            self._overlay.say(words_of(error))
        return True

    def _free_name(self, suffix: str) -> Path:
        """A name that no file has yet."""
        names = (Path(f"{self._title}-{number}.{suffix}") for number in itertools.count(1))
        return next(name for name in names if not name.exists())
