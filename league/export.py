"""Players from a training: networks in whole numbers, their levels, and how well they play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from league.training import Past, Training
from pyale_ma import _native
from pyale_ma.evaluation import Arena, RandomPolicy, Results, duels
from pyale_ma.opponents import LEVELS, Level, Trained, TrainedPolicy
from pyale_ma.opponents.network import MOST_SHIFT, UNIT_BITS, Layer, Network
from pyale_ma.opponents.rating import arena_of

FRAMESKIP = 4
SHARES = (1 / 12, 1 / 3, 1.0)  # of a training, after which its network is a level
_MOST = 2**15 - 1


def quantised(state: dict[str, Tensor], players: int) -> Network:
    """The policy of a trained network, in whole numbers.

    Args:
        state: The `state_dict` of a `league.learner.Network`.
        players: Its seats.
    """
    numbers = {name: value.double().numpy() for name, value in state.items()}
    variance = numbers["square"] - numbers["mean"] ** 2
    wanted = 2**UNIT_BITS / np.sqrt(np.maximum(variance, 1e-2))
    scale = np.clip(np.round(wanted), 1, _MOST)
    offset = np.round(numbers["mean"] * scale)
    # The first layer has, for each seat, neurons of the policy and then as many of the value.
    inputs = len(scale)
    first = numbers["seats.weight"].reshape(players, 2, -1, inputs)[:, 0]
    bias = numbers["seats.bias"].reshape(players, 2, -1)[:, 0]
    return Network(
        used=state["used"].numpy(),
        scale=scale,
        offset=offset,
        first=_layer(first.transpose(0, 2, 1) * (wanted / scale)[:, None], bias),
        between=_layer(numbers["between.weight"].T, numbers["between.bias"]),
        last=_layer(numbers["policy.weight"].T, numbers["policy.bias"]),
    )


def _layer(weights: Any, bias: Any) -> Layer:
    """A layer in the smallest units that leave room for its largest weight."""
    largest = max(np.abs(weights).max(), 1e-9)
    shift = int(np.clip(np.floor(np.log2(_MOST / largest)), 0, MOST_SHIFT))
    whole = np.clip(np.round(weights * 2**shift), -_MOST, _MOST)
    return Layer(whole, np.round(bias * 2 ** (shift + UNIT_BITS)), shift)


def levels(training: Training, shares: Sequence[float] = SHARES) -> dict[str, Past]:
    """What the network was after these shares of its training, or nearly so; 1: what it is now."""
    now = {name: value.clone() for name, value in training.network.state_dict().items()}
    selves = [*training.selves, Past(training.update, training.minutes, now)]
    wanted = [share * training.update for share in shares]
    chosen = [min(selves, key=lambda past: abs(past.update - update)) for update in wanted]
    return dict(zip(LEVELS, chosen, strict=True))


def measured(
    training: Training,
    matches: int,
    frames: int,
    tell: Callable[[str], None],
    shares: Sequence[float] = SHARES,
) -> Trained:
    """The players of a training, with their scores.

    Args:
        training: The training.
        matches: Of each level against random play, and as many against the level above it.
        frames: After how many a match is ended.
        tell: Called with lines of progress.
        shares: As of `levels`.
    """
    contest = training.contest
    chosen = levels(training, shares)
    steps = training.settings.envs * training.settings.rollout
    unknown = {
        name: Level(past.update * steps, past.minutes, matches, frames, 0, 0, 0)
        for name, past in chosen.items()
    }
    actions = tuple(training.games.native.action_sets[0])
    trained = Trained(
        contest.game,
        _native.games()[contest.game].md5,
        contest.players,
        contest.mode,
        FRAMESKIP,
        actions,
        unknown,
        {name: quantised(past.network, contest.players) for name, past in chosen.items()},
    )
    arena = arena_of(contest, FRAMESKIP, frames, obs_type="ram", stack_num=1, num_envs=matches)
    players = {name: TrainedPolicy(trained, name) for name in chosen}
    found = {}
    for number, (name, level) in enumerate(unknown.items()):
        random = RandomPolicy(arena.num_actions)
        [row, _] = sorted(
            _play(arena, {name: players[name], "random": random}, matches).table(),
            key=lambda standing: standing.name == "random",
        )
        below = None
        if number + 1 < len(LEVELS):
            above = LEVELS[number + 1]
            pair = {name: players[name], above: players[above]}
            [against] = _play(arena, pair, matches).table(against=above)
            below = against.score
        found[name] = replace(level, score=row.score, low=row.low, high=row.high, below=below)
        tell(
            f"{name}: {row.score:.3f} ({row.low:.3f}-{row.high:.3f}) against random play"
            + ("" if below is None else f", {below:.3f} against the level above")
        )
    return replace(trained, levels=found)


def _play(arena: Arena, policies: dict[str, Any], matches: int) -> Results:
    """Matches of one against another, who has all other seats, on every seat in turn."""
    # The second half of them is the other way round.
    seated = duels(*policies, arena.num_players)[: arena.num_players]
    return arena.play(policies, lineups=seated, games=max(1, matches // len(seated)))


def good_enough(trained: Trained) -> bool:
    """Whether the strongest player clearly beats random play, and each level the one below."""
    strong = trained.levels[LEVELS[-1]]
    return strong.low > 0.5 and all(
        level.below < 0.5 for level in trained.levels.values() if level.below is not None
    )
