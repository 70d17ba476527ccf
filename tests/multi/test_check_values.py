"""The check values of docs/spec for several players: what the originals answered, without them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import crc, load, rom_path
from pyale_ma.multi import ALEInterface

# pytest itself brings tomli where Python has no tomllib yet.
tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

SPEC = Path(__file__).parents[2] / "docs" / "spec"
GAMES: dict[str, dict[str, Any]] = tomllib.loads(
    (SPEC / "games" / "multiplayer.toml").read_text(encoding="utf-8")
)


def start(game: str, mode: int, probability: float) -> ALEInterface:
    interface: ALEInterface = load(
        ALEInterface(), game, random_seed=7, repeat_action_probability=probability
    )
    interface.setMode(mode)
    interface.reset_game()
    return interface


@pytest.mark.parametrize("game", GAMES)
class TestGame:
    def test_facts(self, game: str) -> None:
        facts = GAMES[game]
        interface = ALEInterface()
        interface.loadROM(rom_path(game))
        for players in (1, 2, 3, 4):
            modes = interface.getAvailableModes(players).tolist()
            assert modes == facts.get(f"modes_{players}p", [])
        assert interface.getAvailableDifficulties().tolist() == facts["difficulties"]

    def test_reset(self, game: str) -> None:
        for mode, players, *expected in GAMES[game]["reset_check"]:
            interface = start(game, mode, 0.0)
            assert interface.numPlayersActive() == players
            found = [
                interface.getEpisodeFrameNumber(),
                interface.allLives().tolist(),
                interface.game_over(),
                f"{crc(interface.getRAM()):08x}",
            ]
            assert found == expected, f"mode {mode}"

    def test_play(self, game: str) -> None:
        for mode, players, *expected in GAMES[game]["play_check"]:
            interface = start(game, mode, 0.25)
            actions = interface.getMinimalActionSet()
            resets, ram, screen = 1, 0, 0
            rewards = np.zeros(players, int)
            for t in range(600):
                if t == 300:
                    interface.reset_game()
                    resets += 1
                rewards += interface.act(
                    [actions[(t // 7 * 5 + t // 3 + 3 * p) % len(actions)] for p in range(players)]
                )
                ram, screen = crc(interface.getRAM(), ram), crc(interface.getScreen(), screen)
                if interface.game_over():
                    interface.reset_game()
                    resets += 1
            found = [
                interface.getFrameNumber(), resets, rewards.tolist(),
                interface.allLives().tolist(), f"{ram:08x}", f"{screen:08x}",
            ]  # fmt: skip
            assert found == expected, f"mode {mode}"


# pettingzoo.md 6: module, arguments, seed, steps asked for, steps done, sums, all out by, CRC.
EPISODES: list[tuple[str, dict[str, Any], int, int, int, list[int] | None, str, str]] = [
    ("pong_v3", {"num_players": 4, "obs_type": "ram"}, 7, 20000, 8058, [-1, 1, -1, 1],
     "terminated", "e2fef18c"),
    ("pong_v3", {"num_players": 4}, 7, 200, 200, [1, -1, 1, -1], "", "eca824d7"),
    ("joust_v3", {"obs_type": "grayscale_image"}, 7, 500, 500, [500, 50], "", "5a0dcb35"),
    ("maze_craze_v3", {"obs_type": "ram"}, 7, 100, 100, [0, 0], "", "7b9b1356"),
    ("maze_craze_v3", {"obs_type": "ram"}, 8, 100, 100, [0, 0], "", "553674ee"),
    ("boxing_v2", {"obs_type": "ram", "max_cycles": 300}, 7, 20000, 300, [0, 0], "truncated",
     "d410fab3"),
    ("warlords_v3", {"obs_type": "ram"}, 7, 20000, 20000, [0, 0, 0, 0], "", "603dcb96"),
]  # fmt: skip


@pytest.mark.parametrize("case", EPISODES, ids=lambda case: f"{case[0]}-{case[-1]}")
def test_episodes(case: tuple[Any, ...]) -> None:
    module, arguments, seed, steps, *expected = case
    rom_path(module.rpartition("_")[0])
    env = importlib.import_module(f"pyale_ma.multi.{module}").parallel_env(**arguments)
    observations, _ = env.reset(seed=seed)
    sums = dict.fromkeys(env.possible_agents, 0)
    seen, done, end = crc(next(iter(observations.values()))), 0, ""
    while env.agents and done < steps:
        actions = {
            agent: (done // 7 * 5 + done // 3 + 3 * p) % int(env.action_space(agent).n)
            for p, agent in enumerate(env.possible_agents)
            if agent in env.agents
        }
        observations, rewards, terminations, truncations, _ = env.step(actions)
        done += 1
        seen = crc(next(iter(observations.values())), seen)
        for agent, reward in rewards.items():
            sums[agent] += int(reward)
        if all(terminations.values()):
            end = "terminated"
        elif all(truncations.values()):
            end = "truncated"
    assert [done, list(sums.values()), end, f"{seen:08x}"] == expected
