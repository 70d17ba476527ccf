"""Write libale/tests/checksums.txt: play every case on our library and note what comes of it.

    python tests/checksums/record.py             # all cases anew
    python tests/checksums/record.py --missing   # only those that the file does not have yet
    python tests/checksums/record.py --check     # write nothing; status 1 if anything changed

Run it when cases are added here; docs/tools/generate.py runs it for a new game.  A line whose sums
change otherwise is a bug: `pytest -m slow tests/checksums` compares every line with the original
packages.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from checksums.cases import FILE, Case, read
from checksums.ours import play
from multi.reference import MODES, MODULES
from pyale_ma import _native, roms
from pyale_ma._native import Rules

HEAD = """\
# What the library must answer, bit for bit, on every machine and from every compiler.
#
# Each line is a play and what came of it.  Of environments: CRC-32 of the report (rewards, lives,
# over, frame numbers) and RAM after every act, of the screen after every 4th, of its RGB after
# every 25th, of the sound; of vectors and modules: of observations, rewards, flags and infos.
#
# tests/checksums/cases.py says what the words mean, tests/checksums/record.py writes this file.
# tests/checksums and libale/tests/test_checksums.c verify it; the slow tests hold the original
# packages against every line that they can play.
"""

# Options that are combined with some games, beside those that every game is played with.
SETTINGS: dict[str, dict[str, int | float | str]] = {
    "breakout": {"strengths": 1, "paddle_min": 100000, "paddle_max": 400000},
    "pong": {"strengths": 1, "sound": 1},
    "video_pinball": {"strengths": 1, "frame_skip": 3},
    "seaquest": {"frame_skip": 4, "sound": 1, "max_num_frames_per_episode": 210},
    "space_invaders": {"color_averaging": 1, "frame_skip": 2},
    "carnival": {"color_averaging": 1, "sound": 1},
    "ms_pacman": {"truncate_on_loss_of_life": 1, "frame_skip": 4, "reward_max": 1},
    "boxing": {"reward_min": -1, "reward_max": 0, "repeat_action_probability": 0.5},
    "enduro": {"system_seed": 7, "repeat_action_probability": 0.0},
    "pitfall2": {"sound": 1, "system_seed": 99, "random_seed": -7},
}
VECTORS: list[tuple[str, dict[str, int | float | str]]] = [
    ("pong", {}),
    ("breakout", {"episodic_life": 1, "autoreset": 1, "num_envs": 3}),
    ("ms_pacman", {"observation": 1, "repeat_action_probability": 0.25}),
    ("air_raid", {"img_height": 96, "img_width": 96, "stack_num": 1}),
    ("air_raid", {"img_height": 210, "img_width": 160, "observation": 1, "stack_num": 2}),
    ("space_invaders", {"frame_skip": 3, "maxpool": 0, "reward_clipping": 0}),
    ("skiing", {"full_action_space": 1}),
    ("seaquest", {"max_num_frames_per_episode": 50, "noop_max": 5, "num_envs": 3}),
    ("seaquest", {"max_num_frames_per_episode": 51, "autoreset": 1, "life_loss_info": 1}),
    ("qbert", {"img_height": 210, "img_width": 160, "frame_skip": 1}),
    ("carnival", {"img_height": 256, "img_width": 100, "steps": 30}),
    ("enduro", {"img_height": 42, "img_width": 300, "observation": 1}),
    ("freeway", {"use_fire_reset": 0, "noop_max": 0}),
    ("boxing", {"observation": 2, "stack_num": 1}),
    ("warlords", {"players": 4, "repeat_action_probability": 0.25}),
    ("pong", {"players": 2, "observation": 2, "autoreset": 1, "max_num_frames_per_episode": 90}),
    ("joust", {"players": 2, "observation": 1}),
]  # fmt: skip

SIZES = [(42, 42), (105, 80), (70, 80), (210, 80), (84, 160), (96, 100), (128, 128), (209, 159)]
SIZES += [(210, 160), (84, 300), (300, 84), (50, 32), (1, 1), (7, 200)]


def difficulties(game: str, rules: Rules) -> list[int]:
    """The easiest, ..., the hardest: at least two, that may be the same."""
    found = _native.bits(_native.games()[game].describe(rules).difficulties)
    return found if len(found) > 1 else found * 2


def cases() -> Iterator[Case]:
    """All of them, without their sums."""
    games = {name: game for name, game in _native.games().items() if name not in roms.SHIPPED}
    for name, game in games.items():
        if Rules.SOLO not in game.rules:
            continue
        first, last = game.modes(Rules.SOLO, 1)[0], game.modes(Rules.SOLO, 1)[-1]
        easy, *_, hard = difficulties(name, Rules.SOLO)
        plain = {"mode": first, "difficulty": easy, "random_seed": 1, "acts": 400, "sound": 1}
        yield Case("solo", name, plain)
        other = {"mode": last, "difficulty": hard, "random_seed": 2, "acts": 200}
        yield Case("solo", name, {**other, "frame_skip": 2, "repeat_action_probability": 0.0})
    for name, settings in SETTINGS.items():
        mode = _native.games()[name].modes(Rules.SOLO, 1)[0]
        plain = {"mode": mode, "difficulty": 0, "random_seed": 3, "acts": 400}
        yield Case("solo", name, {**plain, **settings})
    for name, players, mode in MODES:
        acts = 60 if mode % 4 else 120
        difficulty = difficulties(name, Rules.MULTI)[-(mode % 2)]
        chosen = {"mode": mode, "difficulty": difficulty, "random_seed": 7 + players, "acts": acts}
        sticky = 0.25 if mode % 3 else 0.0
        yield Case("multi", name, {**chosen, "repeat_action_probability": sticky})
    for number, (name, given) in enumerate(VECTORS):
        yield Case("vector", name, {"num_envs": 2, "seed": number, "steps": 60, **given})
    for number, (height, width) in enumerate(SIZES):
        size = {"img_height": height, "img_width": width, "observation": number % 2}
        for name in ("ms_pacman", "air_raid"):
            yield Case("vector", name, {"num_envs": 1, "seed": number, "steps": 4} | size)
    for number, name in enumerate(games):
        if Rules.SOLO in games[name].rules:
            yield Case("vector", name, {"num_envs": 1, "seed": number, "steps": 12})
    for number, name in enumerate(MODULES):
        kind = ("rgb_image", "grayscale_image", "ram")[number % 3]
        given = {"seed": 5 + number, "steps": 200, "obs_type": kind}
        yield Case("module", name, {**given, "full_action_space": number % 2, "max_cycles": 90})


def main() -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; say whether it differs"
    )
    parser.add_argument(
        "--missing", action="store_true", help="play only the cases that the file does not have"
    )
    arguments = parser.parse_args()
    check = arguments.check
    known = {str(case): case for case in read()} if arguments.missing else {}
    lines = []
    for case in cases():
        recorded = known.get(str(case))
        sums = recorded.sums if recorded else tuple(play(case).items())
        lines.append(Case(case.kind, case.name, case.options, sums).line)
    text = HEAD + "\n".join(lines) + "\n"
    if check:
        return text != FILE.read_text(encoding="utf-8")
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
