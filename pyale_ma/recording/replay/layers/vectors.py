"""The layer of `AtariVectorEnv`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from pyale_ma._base.tap import Tap
from pyale_ma.console.starts import has_starts
from pyale_ma.console.state import ALEState
from pyale_ma.games.selection import Image
from pyale_ma.recording.file.format import Header, RecordingError
from pyale_ma.recording.replay.games import played_game
from pyale_ma.recording.replay.layers.base import (
    Array,
    Entry,
    Layer,
    options_of,
    plain,
    refuse_change,
)
from pyale_ma.screen.film import Film
from pyale_ma.vector import AtariVectorEnv, checks as check


class _VectorLayer(Layer):
    """`pyale_ma.vector.AtariVectorEnv`."""

    env: AtariVectorEnv
    name = "vector"
    sends = True

    def __init__(self, env: AtariVectorEnv) -> None:
        super().__init__(env)
        self.players = env.num_players or 1
        self.row = (env.num_envs,) if env.num_players is None else (env.num_envs, self.players)
        self._native = env._native
        self._first: Any = None  # modes and difficulties of the header
        self._has_others = False  # or had: resets that name none fall back on the latest

    def attach(self, tap: Tap | None) -> None:
        self._native.tap = tap
        super().attach(tap)

    def taken(self, actions: Any) -> Any:
        try:
            return np.array(actions)  # which the caller may change before the results are received
        except ValueError:  # rows of different lengths, which the vector refuses
            return actions

    def header(self, metadata: dict[str, Any]) -> Header:
        env = self.env
        for name, made in env._made_with.items():
            refuse_change(name, getattr(env, name), made)
        if env.batch_size < env.num_envs:
            raise RecordingError(
                f"batch_size is {env.batch_size} of {env.num_envs} environments, of which none "
                "knows when another's step comes; record a vector with batch_size=0"
            )
        if has_starts(env, None) and env.autoreset_mode != AutoresetMode.DISABLED:
            raise RecordingError(
                "the vector has starts, at which automatic resets begin without telling a file; "
                'take autoreset_mode="Disabled" to record it'
            )
        distinct = list(dict.fromkeys(env._played))
        games = [
            played_game(each, each.rom().info.md5.decode(), each.variation) for each in distinct
        ]
        self._first = modes, difficulties = self._choices()
        options = self._native.options
        arguments = {
            **options,
            "num_players": env.num_players,
            # Some games start with a difficulty that cannot be chosen.
            "mode": None if modes == _first_modes(env) else modes,
            "difficulty": difficulties if any(difficulties) else None,
            "full_action_space": options["full_action_space"] == 1,
            "continuous": env.continuous,
            "continuous_action_threshold": env.continuous_action_threshold,
            "autoreset_mode": AutoresetMode(env.autoreset_mode).value,
            "obs_type": env.obs_type,
            "stack_fill": check.STACK_FILLS[bool(options["fill_stack"])],
            "terminal_on": dict(env._terminals) or None,
            "frameskip": options["frame_skip"],
        }
        return Header(
            "vector",
            games,
            [distinct.index(each) for each in env._played],
            self.players,
            [],
            env.continuous,
            options_of("vector", arguments),
            metadata,
        )

    def _choices(self) -> tuple[list[int], list[int]]:
        """Return the modes and difficulties on which resets that name none fall back."""
        return self.env._modes.tolist(), self.env._difficulties.tolist()

    @classmethod
    def make(cls, header: Header, games: list[Image], observe: dict[str, Any]) -> _VectorLayer:
        of_env = [header.games[index] for index in header.game_of_env]
        if observe.get("obs_type") in ("ram", "labels"):  # of which nothing can be left out
            observe = {"crop": (0, 0, 0, 0), **observe}
        env = AtariVectorEnv(
            games=[games[index] for index in header.game_of_env],
            variation=[game.variation for game in of_env],
            **{**header.options, **observe},
        )
        if header.options["mode"] is None:
            env._select(_first_modes(env), None, range(env.num_envs))
        return cls(env)

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        env, options = self.env, check.reset_options(options)
        if has_starts(env, options):
            return None, False
        envs = None
        if "reset_mask" in options:
            envs = np.flatnonzero(check.reset_mask(options["reset_mask"], env.num_envs)).tolist()
        chosen = list(range(env.num_envs)) if envs is None else envs
        begins = not self._native.was_reset
        if begins and seed is None:
            seed = env._first_seed
        seeds = check.seeds_of(seed, chosen, env.num_envs)
        if begins:  # who is not seeded goes on from the seed that it was made with
            made = self._native.seeds.astype(np.int64)
            seeds = made if seeds is None else np.where(seeds < 0, made, seeds)
        entry = {
            "envs": envs,
            "seeds": None if seeds is None else seeds[chosen].tolist(),
            "mode": plain(options.get("mode")),
            "difficulty": plain(options.get("difficulty")),
        }
        alone = seeds is not None and len(chosen) == env.num_envs and bool((seeds >= 0).all())
        named = [entry[name] is not None for name in ("mode", "difficulty")]
        self._has_others |= self._choices() != self._first
        alone &= not self._has_others or all(named)
        self._has_others |= any(named)
        return entry, alone

    def reset(self, entry: dict[str, Any]) -> Any:
        options = {name: entry[name] for name in ("mode", "difficulty") if entry[name] is not None}
        if entry["envs"] is not None:
            mask = np.zeros(self.env.num_envs, np.bool_)
            mask[entry["envs"]] = True
            options["reset_mask"] = mask
        return self.env.reset(seed=entry["seeds"], options=options)[0]

    def actions(self, row: Array) -> Any:
        shape: tuple[int, ...] = self.env._stepper.actions_shape
        return np.ascontiguousarray(row).reshape(shape)

    def rams(self) -> Array:
        return self._native.rams()

    def screen(self, env: int) -> Array:
        screen: Array = self.env._screens([env])[0]
        return screen

    def take(self, film: Film, env: int | None) -> None:
        draw = self.env.render_grid if env is None else functools.partial(self.screen, env)
        film.add(draw, self.env._env_infos[env or 0])

    def observation(self) -> Any:
        nobody = np.zeros(self.env.num_envs, np.bool_)
        return self.env.reset(options={"reset_mask": nobody})[0]

    def save(self) -> tuple[bytes, dict[str, Any]]:
        # What a later reset falls back on that names only one of them.
        modes, difficulties = choices = self._choices()
        self._has_others |= choices != self._first
        return self._native.save(), {"modes": modes, "difficulties": difficulties}

    def start(self, env: int) -> ALEState | None:
        return None if self._native.is_over(env) else self.env.save_states([env])[0]

    def same(self, one: bytes, other: bytes) -> bool:
        return bool(self._native.saved_equal(one, other))

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        modes = check.one_each("modes", extra["modes"], self._choices()[0])
        difficulties = check.one_each("difficulties", extra["difficulties"], modes)
        self.env.restore_state(state)
        self.env._modes[:], self.env._difficulties[:] = modes, difficulties


def _first_modes(env: AtariVectorEnv) -> list[int]:
    """Return the first mode of each environment, which may not be its default."""
    if env.num_players is None:
        return [info.default_mode for info in env._env_infos]
    return [env._native.modes(index, env.num_players)[0] for index in range(env.num_envs)]


LAYERS: dict[type, type[Layer]] = {AtariVectorEnv: _VectorLayer}
