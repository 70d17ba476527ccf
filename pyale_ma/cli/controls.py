"""Input of the players of ``pyale-ma play``, from the keyboard and from gamepads."""

from __future__ import annotations

import contextlib
from typing import Any

from pyale_ma.cli.keys import Keys
from pyale_ma.games.actions import Action

_DEAD_ZONE = 0.5
_FIRE_BUTTONS = range(4)  # those that lie under the right thumb
# Pads without a hat have their cross as buttons.
_CROSS_BUTTONS = {11: "UP", 12: "DOWN", 13: "LEFT", 14: "RIGHT"}
# A paddle turns only to the left and right, which moves it down and up where it is at the side.
_TURNS = {"UP": "RIGHT", "DOWN": "LEFT"}

_Source = tuple[object, ...]


class Controls:
    """Follows the events of keyboard and gamepads.

    Args:
        pygame: The module.
        keys: Which keys mean what.
        players: How many play; the first pad is the first player's, and so on.
        paddles: Whether they turn paddles: up as right, and down as left.

    Raises:
        ValueError: There is no such key, or two players have the same.

    Attributes:
        keys_of_commands: Keys by command, without those that players use.
    """

    def __init__(self, pygame: Any, keys: Keys, players: int, *, paddles: bool = False) -> None:
        self._pygame = pygame
        self._players = players
        self._turns = _TURNS if paddles else {}
        self._inputs: dict[int, tuple[int, str]] = {}
        for player, table in enumerate(keys.players[:players]):
            for name, named in table.items():
                for key in named:
                    code = self._code(key, f"player{player + 1}.{name.lower()}")
                    other, _ = self._inputs.setdefault(code, (player, name))
                    if other != player:
                        raise ValueError(
                            f"the key {key!r} is both player {other + 1}'s and {player + 1}'s"
                        )
        self._commands = {
            code: command
            for command, named in keys.commands.items()
            for code in (self._code(key, f"commands.{command}") for key in named)
            if code not in self._inputs
        }
        self.keys_of_commands = {
            command: tuple(
                key for key in named if self._commands.get(self._code(key, command)) == command
            )
            for command, named in keys.commands.items()
        }
        # What holds which inputs down: a key, a stick, a cross or a button.
        self._held: dict[_Source, tuple[int, str]] = {}
        self._pads: dict[int, Any] = {}
        self._player_of_pad: dict[int, int] = {}

    def _code(self, key: str, where: str) -> int:
        try:
            return int(self._pygame.key.key_code(key))
        except ValueError as error:
            raise ValueError(f"{where} is {key!r}, and there is no such key") from error

    @property
    def pads(self) -> int:
        """Number of gamepads in use."""
        return len(self._player_of_pad)

    def handle(self, event: Any) -> str | None:
        """Take note of an event; the command, if it was one."""
        pygame = self._pygame
        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            return self._handle_key(event)
        if event.type == pygame.WINDOWFOCUSLOST:  # releases of keys are not reported then
            self._held.clear()
        elif event.type == pygame.JOYDEVICEADDED:
            with contextlib.suppress(pygame.error):  # it is gone already
                self._add_pad(pygame.joystick.Joystick(event.device_index))
        elif event.type == pygame.JOYDEVICEREMOVED:
            self._remove_pad(event.instance_id)
        elif event.type == pygame.JOYAXISMOTION and event.axis in (0, 1):
            names = ("LEFT", "RIGHT") if event.axis == 0 else ("UP", "DOWN")
            held = names[event.value > 0] if abs(event.value) > _DEAD_ZONE else ""
            self._hold_on_pad(event, ("axis", event.axis), held)
        elif event.type == pygame.JOYHATMOTION:
            x, y = event.value
            self._hold_on_pad(event, ("x", event.hat), {-1: "LEFT", 1: "RIGHT"}.get(x, ""))
            self._hold_on_pad(event, ("y", event.hat), {-1: "DOWN", 1: "UP"}.get(y, ""))
        elif event.type in (pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP):
            self._hold_on_pad(
                event,
                ("button", event.button),
                self._button(event) if event.type == pygame.JOYBUTTONDOWN else "",
            )
        return None

    def _handle_key(self, event: Any) -> str | None:
        if event.key in self._inputs:
            player, name = self._inputs[event.key]
            is_down = event.type == self._pygame.KEYDOWN
            self._hold(("key", event.key), player, name if is_down else "")
            return None
        return self._commands.get(event.key) if event.type == self._pygame.KEYDOWN else None

    def _add_pad(self, pad: Any) -> None:
        taken = set(self._player_of_pad.values())
        free = [player for player in range(self._players) if player not in taken]
        pad_id = pad.get_instance_id()
        self._pads[pad_id] = pad
        if free and pad_id not in self._player_of_pad:
            self._player_of_pad[pad_id] = free[0]

    def _remove_pad(self, pad: int) -> None:
        self._pads.pop(pad, None)
        self._player_of_pad.pop(pad, None)
        self._held = {source: held for source, held in self._held.items() if source[0] != pad}

    def _button(self, event: Any) -> str:
        if event.button in _FIRE_BUTTONS:
            return "FIRE"
        pad = self._pads.get(event.instance_id)
        has_hat = pad is not None and pad.get_numhats() > 0
        return "" if has_hat else _CROSS_BUTTONS.get(event.button, "")

    def _hold_on_pad(self, event: Any, part: _Source, name: str) -> None:
        player = self._player_of_pad.get(event.instance_id)
        if player is not None:
            self._hold((event.instance_id, *part), player, name)

    def _hold(self, source: _Source, player: int, name: str) -> None:
        """Something holds an input down now, or ("") none."""
        if name:
            self._held[source] = (player, name)
        else:
            self._held.pop(source, None)

    def action(self, player: int) -> int:
        """The action of what a player (from 0) holds down."""
        held = {name for who, name in self._held.values() if who == player}
        return action_of({self._turns.get(name, name) for name in held})


def action_of(held: set[str]) -> int:
    """The action of inputs that are held down; opposite directions cancel each other."""
    for pair in ({"UP", "DOWN"}, {"LEFT", "RIGHT"}):
        if pair <= held:
            held = held - pair
    name = "".join(word for word in ("UP", "DOWN", "RIGHT", "LEFT", "FIRE") if word in held)
    return int(Action[name or "NOOP"].value)
