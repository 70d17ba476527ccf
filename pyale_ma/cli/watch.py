"""``pyale-ma watch``: a game with its RAM beside it, to find out where a score is kept."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyale_ma import _native
from pyale_ma._native import RAM_SIZE, Action, Env, Pixels
from pyale_ma.cli.common import Commands, add_command, open_game, random_actions, seed
from pyale_ma.cli.controls import Controls
from pyale_ma.cli.keys import PLAYERS, Keys
from pyale_ma.cli.ram_table import RamTable
from pyale_ma.games import rom_files
from pyale_ma.games.cards import is_card
from pyale_ma.labels import RamSearch
from pyale_ma.screen.window import import_pygame, open_display

# The keys, in few words for the window and in more for `--help`.
_COMMANDS = (
    ("=", "equal", "keep the bytes that equal the number"),
    ("u", "up by", "keep the bytes that rose by the number since the last search"),
    ("d", "down by", "keep the bytes that fell by the number since the last search"),
    ("b", "digits of it", "keep the bytes that hold two neighbouring digits of the number"),
    ("c", "changed", "keep the bytes that changed since the last search"),
    ("s", "same", "keep the bytes that did not change since the last search"),
    ("n", "all again", "start again with all bytes"),
    ("space", "pause", "pause and go on"),
    ("esc", "end", "quit"),
)
_STEPS = "changed", "same", "more", "less", "=5", "+5", "-5", "digits=1250"
_HELP = "type a number, then: " + "   ".join(f"{key} {word}" for key, word, _ in _COMMANDS)
_PICTURE = (640, 420)
_STAY = 6  # frames for which random actions stay
# Space pauses here.
_KEYS = Keys(({**PLAYERS[0], "FIRE": ("left ctrl", "right ctrl")},), {})


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "watch",
        "show a game beside its RAM, and search the RAM",
        epilog="In the window, type a number, then press a key to search for it:\n\n"
        + "".join(f"  {key:7} {meaning}\n" for key, _, meaning in _COMMANDS)
        + "\nThe arrow keys and Ctrl (fire) play.\n"
        "\nBytes with labels are underlined. Names and values of the labels are beside them.\n"
        "\nExamples:\n"
        "  pyale-ma watch pong\n"
        "  pyale-ma watch breakout --do noop*60 right*20 more left*10 less\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", help="game, environment such as pong_v3, card, or ROM file")
    parser.add_argument("--random", action="store_true", help="play random actions")
    parser.add_argument(
        "--seed", type=seed, default=0, help="seed of the game and the random actions; default: 0"
    )
    parser.add_argument(
        "--do",
        nargs="+",
        metavar="STEP",
        help="open no window: play and search, step by step: ACTION*FRAMES, random*FRAMES, "
        + ", ".join(_STEPS),
    )
    parser.set_defaults(run=run, players=None, mode=None, difficulty=None, rom=None)
    parser.set_defaults(variation=None, full_action_space=False)


def open_any(arguments: argparse.Namespace) -> Env:
    """The environment of a game, a card or an unknown ROM file.

    Raises:
        ValueError: It is none of these.
        FileNotFoundError: It, or its ROM file, does not exist.
    """
    if is_card(arguments.game) or not arguments.game.lower().endswith((".bin", ".a26", ".rom")):
        return open_game(arguments, seed=arguments.seed)
    return Env(_native.Rom(rom_files.read(arguments.game), ""), random_seed=arguments.seed)


def run(arguments: argparse.Namespace) -> None:
    """Play until the window is closed, or what `--do` says."""
    if arguments.do:
        play_and_search(open_any(arguments), arguments.do, arguments.seed)
        return
    pygame = import_pygame()
    env = open_any(arguments)
    view = View(pygame, env, arguments.game)
    full = arguments.full_action_space
    choose = random_actions(env, arguments.seed, _STAY, full_action_space=full)
    frame = 0
    try:
        while view.look():
            if not view.is_paused:
                if arguments.random:
                    choose(frame)
                else:
                    env.actions[0] = view.controls.action(0)
                env.act(env.report.players)
                frame += 1
                if env.report.terminated or env.report.truncated:
                    env.reset()
            view.draw()
    finally:
        pygame.quit()
    print_left(env, view.search)


def print_left(env: Env, search: RamSearch) -> None:
    """Say which bytes are left, and what they are now."""
    left = np.flatnonzero(search.candidates)
    if len(left) < RAM_SIZE:
        values = ", ".join(f"ram[{index}] = {env.ram[index]}" for index in left)
        print("bytes that fit:", values or "none")


def play_and_search(env: Env, steps: Sequence[str], random_seed: int) -> None:
    """Play and search without a window.

    Raises:
        ValueError: A step is none of those that there are; nothing was played.
    """
    if wrong := [step for step in steps if _parsed(step) is None]:
        begin = wrong[0].rstrip("0123456789")
        digits = wrong[0].removeprefix(begin)
        if digits and _parsed(f"{begin}1"):
            raise ValueError(f"--do has {wrong[0]!r}: {digits} must be 0 to 9999999")
        raise ValueError(
            f"--do has {wrong[0]!r}; a step is ACTION*FRAMES, random*FRAMES or a search such as "
            f"{', '.join(_STEPS)}; actions are {', '.join(action.name for action in Action)}"
        )
    choose, players = random_actions(env, random_seed, _STAY), env.report.players
    search = RamSearch(env.ram)
    for step in steps:
        name, number = _parsed(step) or ("", 0)
        if "*" in step:
            for frame in range(number):
                if name == "RANDOM":
                    choose(frame)
                else:
                    env.actions[:players] = [Action[name], *[Action.NOOP] * (players - 1)]
                env.act(players)
                if env.report.terminated or env.report.truncated:
                    env.reset()
        else:
            ask = getattr(search, name)
            left = ask(env.ram.copy(), *[number] * (name in ("equal", "up", "digits")))
            print(f"{step}: {left} left")
    print_left(env, search)


def _parsed(step: str) -> tuple[str, int] | None:
    """Return the action or the method of the search, and the number of a step; None: neither."""
    if found := re.fullmatch(r"([A-Za-z]+)\*(\d{1,7})", step):
        name = found[1].upper()
        return (name, int(found[2])) if name in (*Action.__members__, "RANDOM") else None
    if step in ("changed", "same", "more", "less"):
        return step, 0
    if found := re.fullmatch(r"(=|\+|-|digits=)(\d{1,7})", step):
        method = {"=": "equal", "digits=": "digits"}.get(found[1], "up")
        return method, int(found[2]) * (-1 if found[1] == "-" else 1)
    return None


class View:
    """The window: picture, bytes, and the line in which one searches.

    Args:
        pygame: The module.
        env: Whom it shows.
        title: What the window is called.
    """

    def __init__(self, pygame: Any, env: Env, title: str) -> None:
        self._pygame, self._env = pygame, env
        open_display(pygame)
        pygame.init()
        self._font = pygame.font.Font(None, 22)
        self._table = RamTable(pygame, env)
        size = (_PICTURE[0] + self._table.width, RamTable.HEIGHT + 78)
        self._screen = pygame.display.set_mode(size)
        pygame.display.set_caption(f"{title} - RAM")
        self._clock = pygame.time.Clock()
        self._typed = ""
        self._answer = _HELP
        self.controls = Controls(pygame, _KEYS, 1, paddles=bool(env.info.paddles))
        self.search = RamSearch(env.ram)
        self.is_paused = False

    def look(self) -> bool:
        """Do what the keyboard says; False: it is over."""
        pygame = self._pygame
        for event in pygame.event.get():
            self.controls.handle(event)
            if event.type == pygame.QUIT:
                return False
            if event.type == pygame.KEYDOWN:
                if event.key == pygame.K_ESCAPE:
                    return False
                if event.key == pygame.K_SPACE:
                    self.is_paused = not self.is_paused
                elif event.key == pygame.K_BACKSPACE:
                    self._typed = self._typed[:-1]
                else:
                    self.press(event.unicode)
        return True

    def press(self, key: str) -> None:
        """A digit of the number, or a search for it."""
        ram = self._env.ram.copy()
        number = int(self._typed or "0")
        searches = {
            "=": lambda: self.search.equal(ram, number),
            "u": lambda: self.search.up(ram, number),
            "d": lambda: self.search.up(ram, -number),
            "b": lambda: self.search.digits(ram, number),
            "c": lambda: self.search.changed(ram),
            "s": lambda: self.search.same(ram),
        }
        if key.isdecimal() and len(self._typed) < 7:
            self._typed += key
        elif key == "n":
            self.search = RamSearch(ram)
            self._answer = _HELP
        elif key in searches:
            self._answer = f"{searches[key]()} bytes fit"
            self._typed = ""

    def draw(self) -> None:
        """Show the frame and the bytes: changed ones in red, those that fit in yellow."""
        pygame, env, screen = self._pygame, self._env, self._screen
        screen.fill((0, 0, 0))
        frame = pygame.surfarray.make_surface(env.screen(Pixels.RGB).swapaxes(0, 1))
        screen.blit(pygame.transform.scale(frame, _PICTURE), (0, 0))
        self._table.draw(screen, _PICTURE[0], env.ram, self.search.candidates)
        bottom = screen.get_height() - 48
        self._write(
            f"{'paused   ' * self.is_paused}number: {self._typed}", (10, bottom), (255,) * 3
        )
        self._write(self._answer, (10, bottom + 22), (200, 200, 200))
        pygame.display.flip()
        self._clock.tick(60)

    def _write(self, text: str, at: tuple[int, int], color: tuple[int, ...]) -> None:
        self._screen.blit(self._font.render(text, True, color), at)
