"""``pyale-ma web``: play in the browser, on this machine."""

from __future__ import annotations

import argparse
import threading
import urllib.parse
import webbrowser
from typing import Any

from pyale_ma import _native
from pyale_ma.cli import page_server
from pyale_ma.cli.common import (
    Commands,
    add_command,
    check_players,
    chosen_lineup,
    found_games,
    take_environment,
    whole_number,
)
from pyale_ma.cli.seating import (
    PLAYERS,
    Seating,
    add_arguments,
    choose_players,
)
from pyale_ma.games import rom_files
from pyale_ma.games.cards import is_card
from pyale_ma.games.selection import resolve
from pyale_ma.opponents import Contest
from pyale_ma.opponents.catalogue import PLANNER, RULED


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "web",
        "play in the browser, with one to four players, gamepads or touch",
        example="web pong --players 2 --mode 3",
        epilog="Ctrl-C ends the server. No other machine can reach the page.",
    )
    parser.add_argument(
        "game",
        nargs="?",
        default="quartet",
        help="game, or environment such as pong_v3; default: quartet",
    )
    parser.add_argument(
        "--players", type=int, choices=(1, 2, 4), help=f"number of players; default: {PLAYERS}"
    )
    parser.add_argument(
        "--mode", type=int, help="mode of the game; default: the usual one for its players"
    )
    add_arguments(parser, 1)
    parser.add_argument(
        "--port",
        type=whole_number("port", 0, 65535),
        default=0,
        help="port of the server; default: any free port",
    )
    parser.add_argument(
        "--no-open", action="store_true", help="print the address, but open no browser"
    )
    parser.set_defaults(run=run)


def opponents_of(arguments: argparse.Namespace, game: str) -> dict[str, Any]:
    """Return the page's parameters about opponents and their game.

    Raises:
        ValueError: There is no such opponent or seat, a seat is chosen without opponents, or the
            opponent does not play in browsers.
    """
    choice = argparse.Namespace(**{**vars(arguments), "game": game, "variation": None})
    choose_players(choice)
    if choice.against is None:
        return {}
    if choice.against in (PLANNER, RULED):
        raise ValueError(
            f"--against is {choice.against}, which does not play in the browser: "
            "use pyale-ma play, or other opponents"
        )
    played = Contest(game, choice.players, choice.mode)
    Seating(played, chosen_lineup(choice, choice.players))
    seat = choice.seat[0] if choice.seat else None
    return {"players": choice.players, "mode": choice.mode, "against": choice.against, "seat": seat}


def run(arguments: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C.

    Raises:
        ValueError: There is no such game, number of players, opponent or seat.
        FileNotFoundError: The game's ROM file was not found, or this package has no page.
        OSError: The port cannot be used.
    """
    if is_card(arguments.game):
        raise ValueError("the page plays games, not cards: pyale-ma play shows a card's game")
    folder = page_server.page_folder()
    take_environment(arguments)
    first = rom_files.known_game(arguments.game)
    if arguments.players:
        check_players(_native.games()[first], arguments.players)
    if arguments.mode is not None:
        arguments.players = resolve(first, arguments.players, arguments.mode, rules=None).players
    wishes = {"game": first, "players": arguments.players, "mode": arguments.mode}
    wishes |= opponents_of(arguments, first)
    games = found_games() | {first: rom_files.find_rom(first)}
    chosen = {name: wish for name, wish in wishes.items() if wish is not None}
    query = urllib.parse.urlencode(chosen)
    try:
        server = page_server.PageServer(folder, games, arguments.port)
    except OSError as error:
        raise OSError(f"--port {arguments.port}: {error.strerror}") from error
    with server:
        address = f"{server.address}?{query}"
        print(f"Play at {address}\nCtrl-C ends this.", flush=True)
        if not arguments.no_open:
            # In a thread, for a browser in the terminal returns only when it is left.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
