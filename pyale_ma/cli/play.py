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
from pyale_ma.cli.choice import Choice
from pyale_ma.cli.common import (
    Commands,
    add_command,
    add_game_arguments,
    add_recording_argument,
    add_rules_argument,
    open_game,
    take_environment,
    words,
)
from pyale_ma.cli.controls import Controls
from pyale_ma.cli.history import History
from pyale_ma.cli.keys import Keys, load, title_of
from pyale_ma.cli.menu import Entry, Menu
from pyale_ma.cli.overlay import Overlay, help_rows
from pyale_ma.cli.seating import (
    PLAYERS,
    Seating,
    add_arguments,
    choose_players,
)
from pyale_ma.games import roms
from pyale_ma.games.cards import Card
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
        epilog="Esc opens the menu.  pyale-ma keys prints all keys as a file for --keys.",
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
    game = roms.game_of(arguments.game)
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
    """A game in a window, with its players, who may choose another one.

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
        self._env, self._game, self._arguments = env, game, arguments
        self._menu = Menu(self._entries)
        self._seating = Seating(game, env, arguments)
        self._controls = self._controls_of(env, self._seating)
        self._overlay = Overlay(pygame, env, self._menu)
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
            "menu": self._toggle_menu,
            "quit": self._window.close,
        }
        self._begin()
        if menu_keys := self._controls.keys_of_commands["menu"]:
            self._overlay.say(f"{title_of(menu_keys[0])}: menu")

    def _controls_of(self, env: Env, seating: Seating) -> Controls:
        people, paddles = len(seating.people), bool(env.info.paddles)
        return Controls(self._pygame, self._keys, people, paddles=paddles)

    def _begin(self) -> None:
        """Reset everything that belongs to one game."""
        self._title, self._players = self._arguments.game, self._env.report.players
        self._slot = 1
        self._saved: dict[int, tuple[State, list[int]]] = {}
        self._history = History(self._env, frame_rate(self._env.info))
        self.scores = [0] * self._players

    @property
    def is_open(self) -> bool:
        """Whether the window still is."""
        return self._window.is_open

    def step(self) -> None:
        """Play a frame, unless it is paused, and show it."""
        env = self._env
        plays = not self._menu.is_open and (not self._is_paused or self._frames_to_play > 0)
        if plays:
            self._frames_to_play = max(0, self._frames_to_play - 1)
            self._seating.set_actions(env, self._controls.action)
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
        elif self._menu.is_open:
            pressed = self._controls.pressed
            if event.type == self._pygame.KEYDOWN and event.key == self._pygame.K_RETURN:
                pressed = "FIRE"
            self._menu.press(pressed)

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

    # ---- The menu --------------------------------------------------------------------------------

    def _toggle_menu(self) -> None:
        self._menu.toggle()
        self._overlay.help = ()

    def _entries(self) -> list[Entry]:
        """The lines of the menu: what is played, then the commands."""

        def command(title: str, name: str) -> Entry:
            def do() -> None:
                self._menu.toggle()
                self._commands[name]()

            return Entry(title, do)

        if self._arguments.record:  # in a file of one game
            again = [command("restart", "restart")]
        else:
            chosen = Choice(self._arguments, self._game, self._env)
            again = [*chosen.entries(), Entry("begin with these", lambda: self._open(chosen))]
        return [
            Entry("go on", self._menu.toggle),
            *again,
            command("save in the slot", "save"),
            command("load from the slot", "load"),
            Entry("slot", None, self._change_slot, lambda: f"{self._slot} of {_SLOTS}"),
            command(f"{_REWIND} seconds back", "rewind"),
            Entry("speed", None, self._change_speed, lambda: f"{self._window.speed:g}"),
            command("one frame", "advance"),
            command("film: start or stop", "film"),
            command("picture", "picture"),
            command("RAM: show or hide", "ram"),
            command("full screen or window", "fullscreen"),
            command("keys", "help"),
            command("quit", "quit"),
        ]

    def _open(self, chosen: Choice) -> None:
        """Play what was chosen, from its beginning; if that cannot be, all stays as it is."""
        arguments = chosen.arguments()
        try:
            env = open_game(arguments, sound=not arguments.silent)
        except (OSError, ValueError) as error:
            self._overlay.say(words_of(error))
            return
        try:
            seating = Seating(chosen.game, env, arguments)
            controls = self._controls_of(env, seating)
        except ValueError as error:  # two players with the same key
            env.close()
            self._overlay.say(words_of(error))
            return
        controls.take_pads(self._controls)
        self._menu.toggle()
        if self._film:
            self._begin_or_end_film()
        before, self._env = self._env, env
        self._game, self._arguments = chosen.game, arguments
        self._seating, self._controls = seating, controls
        self._is_paused = False
        self._begin()
        self._window.show_other(self._title, env.info.screen_height, frame_rate(env.info))
        self._overlay.show_other(env)
        self._window.set_panel(self._overlay.panel_width)
        before.close()

    # ---- Commands --------------------------------------------------------------------------------

    def _help(self) -> None:
        if self._menu.is_open:
            self._menu.toggle()
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

    def _change_slot(self, step: int) -> None:
        self._slot = (self._slot - 1 + step) % _SLOTS + 1

    def _next_slot(self) -> None:
        self._change_slot(1)
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

    def _change_speed(self, step: int) -> None:
        speeds = list(_SPEEDS)
        self._window.speed = speeds[(speeds.index(self._window.speed) + step) % len(speeds)]

    def _next_speed(self) -> None:
        self._change_speed(1)

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
