"""`RecordedEnv`: an environment of a recording, made anew as a Gymnasium environment for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import error, spaces
from gymnasium.envs.registration import EnvSpec

from pyale_ma._base.text import listed, shown
from pyale_ma.console.observations import check_render_mode
from pyale_ma.recording.file.format import Fields, Header, check_header
from pyale_ma.recording.replay.layers import Layer, layer_for


class RecordedEnv(gymnasium.Env[Any, Any]):
    """The environment that was recorded, or one of its environments, with a dataset's observations.

    One learner plays for all players: their actions are a row, and rewards are added up, as in the
    datasets of Minari.  An episode ends when it is over for all of them.

    Args:
        header: What a recording says of its environment, as JSON has it.
        observe: What is observed instead of what was, as for `Dataset`.
        render_mode: None or "rgb_array".

    Raises:
        RecordingError: It cannot be made here, or `header` is none.
        FileNotFoundError: There is no image of its game.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012

    def __init__(
        self,
        header: Mapping[str, Any],
        observe: Mapping[str, Any],
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode, *self.metadata["render_modes"])
        self.render_mode = render_mode
        self._header = check_header(Fields("header", dict(header)))
        self._layer = layer_for(self._header, dict(observe))
        self._over = True
        self.action_space = _action_space(self._layer)
        seen = self._reset(0)
        bounds = np.iinfo(seen.dtype)
        self.observation_space = spaces.Box(bounds.min, bounds.max, seen.shape, seen.dtype)
        self._over = True

    def __repr__(self) -> str:
        games = listed(game.name for game in self._header.games)
        return shown(self, games, layer=self._header.layer, num_players=self._header.players)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: From here on all depends only on it; None: random numbers continue.
            options: Not used.
        """
        super().reset(seed=seed)
        return self._reset(int(self.np_random.integers(2**31)) if seed is None else seed), {}

    def _reset(self, seed: int) -> npt.NDArray[Any]:
        entry, _ = self._layer.entry(seed, None)
        observation = self._layer.reset(entry or {"seed": seed})
        self._over = False
        return self._as_array(observation)

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action of each player.

        Raises:
            gymnasium.error.ResetNeeded: There was no reset since the beginning or the last end.
        """
        if self._over:
            raise error.ResetNeeded("the episode is over, or did not begin: call reset")
        layer = self._layer
        row = np.asarray(action)[np.newaxis]
        result = layer.step(layer.actions(row if layer.players > 1 else row[np.newaxis]))
        rewards, ends, cuts = layer.numbers(result)
        ended, cut = bool(np.all(ends)), bool(np.any(cuts))
        self._over = ended or cut
        return self._as_array(result[0]), float(np.sum(rewards)), ended, cut, {}

    def _as_array(self, observation: Any) -> npt.NDArray[Any]:
        """An observation as datasets have it, from what the environment returned."""
        if self._header.layer == "vector":
            only: npt.NDArray[Any] = observation[0]
            return only
        return self._layer.observation_array()

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The screen, uint8 (height, 160, 3)."""
        return None if self.render_mode is None else self._layer.screen(0)

    def close(self) -> None:
        """Free it."""
        self._layer.close()


def spec_of(header: Header, observe: Mapping[str, Any]) -> EnvSpec:
    """Return the spec of the first environment of a recording."""
    if header.layer == "vector":
        chosen = {name: _first(header.options[name]) for name in ("mode", "difficulty")}
        options = {**header.options, **chosen, "autoreset_mode": "Disabled"}
        first = [header.games[header.game_of_env[0]]]
        header = replace(header, games=first, game_of_env=[0], options=options)
    contents = replace(header, metadata={}).as_json()
    return EnvSpec(
        "pyale_ma/Recorded-v0",
        entry_point="pyale_ma.recording.replay.recorded_env:RecordedEnv",
        disable_env_checker=True,
        order_enforce=False,
        kwargs={"header": contents, "observe": dict(observe)},
    )


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _action_space(layer: Layer) -> spaces.Space[Any]:
    """The actions of all players in a row."""
    env = layer.env
    if layer.name == "vector":
        space: spaces.Space[Any] = env.single_action_space
        return space
    if layer.name == "multi":
        return spaces.MultiDiscrete([space.n for space in env.action_spaces.values()])
    own: spaces.Space[Any] = env.action_space
    return own
