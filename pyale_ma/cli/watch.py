"""``pyale-ma watch``: a game with its RAM beside it, to find out where a score is kept."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._native import RAM_SIZE, Env, Pixels
from pyale_ma.cli.common import Commands, add_command, open_game, seed
from pyale_ma.cli.controls import Controls
from pyale_ma.cli.keys import PLAYERS, Keys
from pyale_ma.cli.ram_table import RamTable
from pyale_ma.games import rom_files
from pyale_ma.games.cards import is_card
from pyale_ma.screen.window import import_pygame, open_display

Bytes = npt.NDArray[np.uint8]

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
_HELP = "type a number, then: " + "   ".join(f"{key} {word}" for key, word, _ in _COMMANDS)
_PICTURE = (640, 420)
# Space pauses here.
_KEYS = Keys(({**PLAYERS[0], "FIRE": ("left ctrl", "right ctrl")},), {})


class Search:
    """Which bytes of RAM may be the one looked for; each search leaves fewer.

    Args:
        ram: The console's RAM as it is when the search begins.

    Attributes:
        candidates: bool (128,), the bytes that fit all that was asked so far.
    """

    def __init__(self, ram: Bytes) -> None:
        self._before = ram.copy()
        self.candidates = np.ones(RAM_SIZE, bool)

    def _keep(self, ram: Bytes, fitting: npt.NDArray[np.bool_]) -> int:
        self.candidates &= fitting
        self._before = ram.copy()
        return int(self.candidates.sum())

    def equal(self, ram: Bytes, number: int) -> int:
        """Keep the bytes that are a number; how many are left (as of the other searches)."""
        return self._keep(ram, ram == number)

    def changed(self, ram: Bytes) -> int:
        """Keep those that are different from when the latest search was made."""
        return self._keep(ram, ram != self._before)

    def same(self, ram: Bytes) -> int:
        """Keep those that are not."""
        return self._keep(ram, ram == self._before)

    def up(self, ram: Bytes, number: int) -> int:
        """Keep those that have become more by a number, as bytes or as two decimal digits."""
        plain = (ram.astype(int) - self._before) % 256 == number % 256
        decimal = (_decimal(ram) - _decimal(self._before)) % 100 == number % 100
        return self._keep(ram, plain | (decimal & _is_decimal(ram) & _is_decimal(self._before)))

    def digits(self, ram: Bytes, number: int) -> int:
        """Keep those that hold two neighbouring digits of a number, counted from its last one."""
        pairs = set()
        for shown in (number, 10 * number, number // 10, number // 100):
            while True:
                pairs.add(shown % 100 // 10 * 16 + shown % 10)
                shown //= 100
                if shown == 0:
                    break
        return self._keep(ram, np.isin(ram, sorted(pairs)))


def _decimal(ram: Bytes) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = (ram >> 4).astype(np.int64) * 10 + (ram & 15)
    return numbers


def _is_decimal(ram: Bytes) -> npt.NDArray[np.bool_]:
    return ((ram >> 4) < 10) & ((ram & 15) < 10)


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
        "\nExample: pyale-ma watch pong\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", help="game, environment such as pong_v3, card, or ROM file")
    parser.add_argument("--random", action="store_true", help="play random actions")
    parser.add_argument(
        "--seed", type=seed, default=0, help="seed of the game and the random actions; default: 0"
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
    """Play until the window is closed."""
    pygame = import_pygame()
    env = open_any(arguments)
    view = View(pygame, env, arguments.game)
    random = np.random.default_rng(arguments.seed)
    legal = env.info.legal_actions
    actions = _native.bits(legal if arguments.full_action_space else env.info.minimal_actions)
    frame, players = 0, env.report.players
    try:
        while view.look():
            if not view.is_paused:
                if not arguments.random:
                    env.actions[0] = view.controls.action(0)
                elif frame % 6 == 0:
                    env.actions[:players] = random.choice(actions, players).tolist()
                env.act(players)
                frame += 1
                if env.report.terminated or env.report.truncated:
                    env.reset()
            view.draw()
    finally:
        pygame.quit()
    left = np.flatnonzero(view.search.candidates)
    if len(left) < RAM_SIZE:
        print("bytes that fit:", ", ".join(f"ram[{index}]" for index in left) or "none")


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
        self.search = Search(env.ram)
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
            self.search = Search(ram)
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
