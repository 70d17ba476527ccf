"""Helpers for tests of recordings: play that is recorded."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from common import rom_path
from pyale_ma import _native, multi
from pyale_ma._native import Rules
from pyale_ma.recording import Console, Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv


def play_one(env: Any, steps: int, seed: int = 0, *, reset: bool = True) -> None:
    """Random actions of one agent, a new episode after each end."""
    random = np.random.default_rng(seed)
    if reset:
        env.reset(seed=seed)
    env.action_space.seed(seed)
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated or random.random() < 0.002:
            env.reset()


def play_agents(env: Any, steps: int, seed: int = 0, *, reset: bool = True) -> None:
    """Random actions of several agents."""
    if reset:
        env.reset(seed=seed)
    random = np.random.default_rng(seed)
    for _ in range(steps):
        if not env.agents:
            env.reset()
        actions = env.action_space(env.agents[0]).n
        env.step({agent: random.integers(actions) for agent in env.agents})


def play_vector(envs: Any, steps: int, seed: int = 0, *, reset: bool = True) -> None:
    """Random actions of a vector, which resets its environments itself."""
    if reset:
        envs.reset(seed=seed)
    envs.action_space.seed(seed)
    for _ in range(steps):
        envs.step(envs.action_space.sample())


def play_frames(played: Console, steps: int, seed: int = 0) -> None:
    """Random actions of all players of a console, paddles at random strengths; it begins anew
    after each end."""
    env, random = played.env, np.random.default_rng(seed)
    players = env.report.players
    env.reset()
    for _ in range(steps):
        env.actions[:players] = random.integers(_native.ACTION_COUNT, size=players).tolist()
        if env.info.paddles:
            env.strengths[:players] = random.random(players).tolist()
        env.act(players)
        if env.report.terminated or env.report.truncated:
            env.reset()


def recorded(
    path: Path, env: Any, play: Callable[..., Any], steps: int, **options: Any
) -> Recording:
    """Record some play and return the opened recording."""
    with record(env, path, **options):
        play(env, steps)
    return Recording.open(path)


def small_single(path: Path, steps: int = 300, **options: Any) -> Recording:
    """A game for one agent that everybody has."""
    return recorded(path, quartet(), play_one, steps, **options)


def quartet(**options: Any) -> AtariEnv:
    return AtariEnv("quartet", **{"obs_type": "ram", **options})


def agents(**options: Any) -> Any:
    return multi.quartet_v0.parallel_env(obs_type="ram", **options)


def console(
    game: str = "quartet", rules: Rules = Rules.MULTI, players: int = 2, **options: Any
) -> Console:
    """Return a game frame by frame, in its last mode for this number of players."""
    rom = _native.shared_rom(rom_path(game).read_bytes())
    env = _native.Env(rom, rules=rules, **options)
    env.set_mode(env.modes(players)[-1])
    return Console(env, game)


def solo_console(game: str = "quartet", **options: Any) -> Console:
    """Return a game for one agent frame by frame, in its last mode."""
    return console(game, Rules.SOLO, 1, **options)


def vector(num_envs: int = 3, **options: Any) -> AtariVectorEnv:
    small = {"img_height": 8, "img_width": 8, "stack_num": 2}
    return AtariVectorEnv("quartet", num_envs, **{**small, **options})


def rewrite(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The file with other members, as valid a zip as before."""
    with zipfile.ZipFile(path) as before:
        members = {name: before.read(name) for name in before.namelist()}
    change(members)
    to = path.with_name("changed.zip")
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as after:
        for name, data in members.items():
            after.writestr(name, data)
    return to


def change_json(path: Path, name: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """The file with another value somewhere in its JSON."""

    def apply(members: dict[str, bytes]) -> None:
        value = json.loads(members[name])
        change(value)
        members[name] = json.dumps(value).encode()

    return rewrite(path, apply)


def with_lineup(path: Path, lineup: Any) -> Path:
    """The file with another answer to who played."""

    def change(header: dict[str, Any]) -> None:
        header["metadata"] = {"lineup": lineup}

    return change_json(path, "recording.json", change)
