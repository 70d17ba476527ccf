"""``pyale-ma play``: a person plays."""

from __future__ import annotations

import argparse
from typing import Any

from pyale_ma._native import Format, Pixels
from pyale_ma.cli.common import Commands, add_game_arguments, open_game, words
from pyale_ma.cli.keys import PLAYERS
from pyale_ma.single.action import Action
from pyale_ma.window import Window, import_pygame

# Of each player, the first key of each input.
KEYS = tuple({name: keys[0] for name, keys in player.items()} for player in PLAYERS)


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    text = "play a game yourself"
    keys = "; ".join(f"player {n}: {', '.join(k.values())}" for n, k in enumerate(KEYS, 1))
    parser = commands.add_parser(
        "play",
        help=text,
        description=text.capitalize() + ".",
        epilog=f"Keys (up, down, left, right, fire) of {keys}; r starts again, escape ends.",
    )
    parser.add_argument("game")
    parser.add_argument("--silent", action="store_true", help="without sound")
    add_game_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play until the window is closed."""
    pygame = import_pygame()
    env = open_game(arguments, sound=not arguments.silent)
    fps = 60 if env.info.format == Format.NTSC else 50
    window = Window(arguments.game, env.info.screen_height, fps=fps, sound=not arguments.silent)
    players = env.report.players
    scores = [0] * players
    while window.is_open:
        pressed = pygame.key.get_pressed()
        if pressed[pygame.K_ESCAPE]:
            window.close()
            break
        if pressed[pygame.K_r]:
            env.reset()
            scores = [0] * players
        for player in range(players):
            env.actions[player] = action_of(pygame, pressed, KEYS[player])
        env.act(players)
        if any(env.rewards):
            scores = [score + env.rewards[player] for player, score in enumerate(scores)]
            pygame.display.set_caption(f"{arguments.game}  {words(scores)}")
        window.show(env.screen(Pixels.RGB), env.audio)
    print(f"score {words(scores)}")


def action_of(pygame: Any, pressed: Any, keys: dict[str, str]) -> int:
    """The action of the keys that are pressed; opposite directions cancel each other."""
    down = {word for word, key in keys.items() if pressed[pygame.key.key_code(key)]}
    for pair in ({"UP", "DOWN"}, {"LEFT", "RIGHT"}):
        if pair <= down:
            down -= pair
    name = "".join(word for word in ("UP", "DOWN", "RIGHT", "LEFT", "FIRE") if word in down)
    return Action[name or "NOOP"].value
