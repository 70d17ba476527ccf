"""Writes docs/games/measured.json: what random play earns, what modes and difficulties change.

    python docs/tools/measure_games.py [--episodes N] [GAME ...]

Each game is played for 100 episodes, by one player where it has rules for one, as `ALE/...-v5`
plays it: 4 frames a step, an action repeated with probability 0.25, the minimal actions, at most
108,000 frames.
Everything follows from the numbers of the episodes, so it comes out the same anywhere, and goes on
where it was stopped; an hour of one processor for all.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pyale_ma import _native, roms
from pyale_ma._base.files import written_aside
from pyale_ma._native import Env, Pixels, Rules
from pyale_ma.vector import AtariVectorEnv

FILE = Path(__file__).parents[1] / "games" / "measured.json"
EPISODES = 100
REWARD_EPISODES = 20  # the first of them, whose rewards are counted
FRAMES = 108_000  # an episode's at most
FRAME_SKIP = 4
STICKY = 0.25
FIRST = 5  # episodes are measured so many at a time
CHUNK = 256  # steps whose actions are drawn at once
PLAYS = 2  # of each mode and difficulty
COMPARED_STEPS = 900  # of each of them


def players_of(game: _native.Game) -> tuple[Rules, int]:
    """Return the rules for one player, or else those for the largest number of players."""
    if Rules.SOLO in game.rules:
        return Rules.SOLO, 1
    return Rules.MULTI, next(n for n in (4, 2) if game.modes(Rules.MULTI, n))


def played(game: _native.Game, episodes: range) -> Iterator[list[int]]:
    """Yield the first player's rewards of each episode; each depends on its own number alone."""
    rules, players = players_of(game)
    envs = AtariVectorEnv(
        game.name,
        num_threads=1,
        num_players=None if rules == Rules.SOLO else players,
        obs_type="ram",
        stack_num=1,
        frameskip=FRAME_SKIP,
        repeat_action_probability=STICKY,
        max_num_frames_per_episode=FRAMES,
        noop_max=1,
        use_fire_reset=False,
        reward_clipping=False,
        copy=False,
    )
    for episode in episodes:
        random = np.random.default_rng(episode)
        envs.reset(seed=episode)
        earned: list[int] = []
        over = False
        while not over:
            drawn = random.integers(envs.num_actions, size=(CHUNK, players), dtype=np.int32)
            for actions in drawn.reshape(CHUNK, *envs.action_space.shape):
                _, rewards, terminations, truncations, _ = envs.step(actions)
                earned.append(int(rewards.flat[0]))
                if over := bool(terminations.all() or truncations[0]):
                    break
        yield earned
    envs.close()


def random_play(game: _native.Game, episodes: range = range(EPISODES)) -> dict[str, Any]:
    """Returns and lengths of some episodes, in steps."""
    all_rewards = list(played(game, episodes))
    return {"returns": [*map(sum, all_rewards)], "lengths": [*map(len, all_rewards)]}


def rewards(game: _native.Game, episodes: range = range(REWARD_EPISODES)) -> dict[str, int]:
    """Count the rewards of steps in the first episodes, without those of 0."""
    found = collections.Counter(itertools.chain.from_iterable(played(game, episodes)))
    return {str(reward): found[reward] for reward in sorted(found) if reward}


def settings(game: _native.Game) -> dict[str, Any]:
    """Compare all modes and difficulties by playing them with the same actions.

    Returns:
        "modes" and "difficulties", each with a list for each number: the lives it starts with;
        where the picture differs from the default's, "start", "play" or None for not seen.
    """
    rules, players = players_of(game)
    rom = _native.Rom(roms.read(roms.find_rom(game.name)))
    modes = game.modes(rules, players)
    numbers = {"modes": modes, "difficulties": _native.bits(game.describe(rules).difficulties)}
    results: dict[str, Any] = {}
    for kind, values in numbers.items():
        usual: list[list[int]] = []
        results[kind] = {}
        for value in values:
            differs = None
            for play in range(PLAYS):
                env = Env(rom, rules=rules, random_seed=play)
                env.set_mode(value if kind == "modes" else modes[0])
                if kind == "difficulties":
                    env.set_difficulty(value)
                env.reset()
                lives = env.report.lives[0]
                sums = pictures(env, players, play)
                if value == values[0]:
                    usual.append(list(sums))
                    continue
                pairs = itertools.zip_longest(sums, usual[play])
                first = next((frame for frame, (a, b) in enumerate(pairs) if a != b), None)
                if first is not None:
                    differs = "play" if first else "start"
                    break
            results[kind][str(value)] = [lives, differs]
    return results


def pictures(env: Env, players: int, seed: int) -> Iterator[int]:
    """Checksums of the screens of random play, at most to the end of the first episode."""
    random = np.random.default_rng(seed)
    actions = _native.bits(env.info.minimal_actions)
    yield zlib.crc32(env.screen(Pixels.INDEXED))
    for _ in range(COMPARED_STEPS):
        env.actions[:players] = random.choice(actions, players).tolist()
        for _ in range(FRAME_SKIP):
            env.act(players)
        if env.report.terminated:
            return
        yield zlib.crc32(env.screen(Pixels.INDEXED))


def load() -> dict[str, Any]:
    """Return the contents of the file."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}  # type: ignore[no-any-return]


def save(measured: dict[str, Any]) -> None:
    """Write the file, a line for each game; whole or not at all, as this may be stopped."""
    lines = [f"{json.dumps(name)}: {json.dumps(measured[name])}" for name in sorted(measured)]
    with written_aside(FILE) as aside:
        aside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Measure what is missing, or what is named: games with short episodes first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", nargs="*", help="measure these anew")
    parser.add_argument("--episodes", type=int, default=EPISODES, help="fewer, for the time being")
    arguments = parser.parse_args()
    measured = load()
    for name in arguments.game:
        measured.pop(roms.known_game(name), None)
    games = _native.games()
    for game in games.values():
        if game.name not in measured:
            measured[game.name] = {"returns": [], "lengths": [], **settings(game)}
            save(measured)
    for name in sorted(games, key=lambda name: sum(measured[name]["lengths"][:FIRST])):
        results = measured[name]
        for have in range(len(results["returns"]), arguments.episodes, FIRST):
            more = random_play(games[name], range(have, min(have + FIRST, arguments.episodes)))
            for key, numbers in more.items():
                results[key] += numbers
            save(measured)
            print(name, len(results["returns"]), flush=True)
        if "rewards" not in results:
            results["rewards"] = rewards(games[name])
            save(measured)


if __name__ == "__main__":
    main()
