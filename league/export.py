"""Players from a training: networks in whole numbers, their levels, and how well they play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from league.score import together
from league.training import Past, Training
from pyale_ma import cards, roms
from pyale_ma.evaluation import Arena, Policy, RandomPolicy, Standing, duels
from pyale_ma.evaluation.rating import arena_of
from pyale_ma.opponents import LEVELS, Contest, Level, Trained, TrainedPolicy
from pyale_ma.opponents.catalogue import select
from pyale_ma.opponents.network import MOST_SHIFT, UNIT_BITS, DenseLayer, Network

FRAMESKIP = 4
SHARES = (1 / 12, 1 / 3, 1.0)  # of a training, where matches do not show its levels
_CLEARLY = 0.4  # the score of who is clearly worse, or less
_GOOD = 0.6  # the least score of a strong player against random play
_CHOOSING = 1_000_000  # the first seed of matches by which levels are chosen
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


def _layer(weights: Any, bias: Any) -> DenseLayer:
    """A layer in the smallest units that leave room for its largest weight."""
    largest = max(np.abs(weights).max(), 1e-9)
    shift = int(np.clip(np.floor(np.log2(_MOST / largest)), 0, MOST_SHIFT))
    whole = np.clip(np.round(weights * 2**shift), -_MOST, _MOST)
    return DenseLayer(whole, np.round(bias * 2 ** (shift + UNIT_BITS)), shift)


def players_of(
    contest: Contest, chosen: Mapping[str, Past], found: Mapping[str, Level] | None = None
) -> Trained:
    """Players as a file has them.

    Args:
        contest: What they have learned.
        chosen: By name, what the network was.
        found: By the same names, how well they play; None: not known.
    """
    game = roms.game_of(contest.game)
    return Trained(
        game.name,
        game.md5,
        contest.players,
        contest.mode,
        FRAMESKIP,
        tuple(select(contest).action_set),
        found or dict.fromkeys(chosen, Level(0, 0, 0, 0, 0, 0, 0)),
        {name: quantised(past.network, contest.players) for name, past in chosen.items()},
        game.digest if isinstance(game, cards.Card) else "",
    )


def arena_for(contest: Contest, frames: int, matches: int) -> Arena:
    """Where players are measured.

    Args:
        contest: What they play.
        frames: After how many a match is ended.
        matches: How many are played at a time.
    """
    return arena_of(contest, FRAMESKIP, frames, obs_type="ram", stack_num=1, num_envs=matches)


def duel(arena: Arena, one: Policy, other: Policy, matches: int, seed: int = 0) -> Standing:
    """Return the score of one player against another, who has all other seats, over all seats.

    Where all get the same rewards, nobody wins a match: there each has all seats, and it counts
    whose return is higher in matches of the same seed.

    Args:
        arena: Where.
        one: Whose score it is.
        other: Against whom.
        matches: How many.
        seed: Of the first match.
    """
    # The second half of all duels is the other way round.
    seated = duels("one", "other", arena.num_players)[: arena.num_players]
    games = max(1, matches // len(seated))
    results = arena.play({"one": one, "other": other}, lineups=seated, games=games, seed=seed)
    returns = [match.returns for match in results.matches]
    if np.any(returns) and all(len(set(each)) == 1 for each in returns):
        results = together(arena, {"one": one, "other": other}, matches, seed)
    [standing] = results.table(against="other")
    return standing


class Selves:
    """Players that a training left behind: its past selves and, last, its final one.

    Args:
        training: The training.
        frames: After how many a match is ended.
        matches: Of each pair, on every seat in turn.

    Attributes:
        all: The selves.
        arena: Where they play.
    """

    def __init__(self, training: Training, frames: int, matches: int) -> None:
        self.training = training
        self.all = [*training.selves, training.now]
        self.arena = arena_for(training.contest, frames, matches)
        self._matches = matches

    def score(self, one: Past, other: Past | None, matches: int = 0, seed: int = 0) -> Standing:
        """Return the score of one of them against another, or random play, in all other seats.

        Args:
            one: A self.
            other: Another; None: random play.
            matches: How many; 0: as many as usual.
            seed: Of the first match.
        """
        policies = (self._policy(one), self._policy(other))
        return duel(self.arena, *policies, matches or self._matches, seed)

    def _policy(self, past: Past | None) -> Policy:
        if past is None:
            return RandomPolicy(self.arena.num_actions)
        return TrainedPolicy(players_of(self.training.contest, {"strong": past}), "strong")

    def at(self, shares: Sequence[float]) -> dict[str, Past]:
        """The levels: what the network was after these shares of its training, or nearly so."""
        wanted = [share * self.training.update for share in shares]
        chosen = [min(self.all, key=lambda past: abs(past.update - update)) for update in wanted]
        return dict(zip(LEVELS, chosen, strict=True))

    def chosen(self) -> dict[str, Past]:
        """The levels: the last self, the first one that beats random play, and one between them.

        Which these are is seen in matches that do not count later.
        """

        def score(one: Past, other: Past | None) -> Standing:
            return self.score(one, other, matches=48, seed=_CHOOSING)

        *before, strong = self.all
        against = [(past, score(past, strong).score) for past in before[::2]]
        weaker = [(past, lost) for past, lost in against if lost < _CLEARLY]
        while weaker and score(weaker[0][0], None).low <= 0.5:
            del weaker[0]
        if len(weaker) < 2:
            return self.at(SHARES)
        (weak, _), *rest = weaker
        # The more apart, the better, but the one above it should not win all matches.
        apart = [min(1 - lost, score(past, weak).score, 0.8) for past, lost in rest]
        middle = max(zip(apart, range(len(rest)), strict=True))[1]
        return dict(zip(LEVELS, (weak, rest[middle][0], strong), strict=True))


def measured(
    training: Training,
    matches: int,
    frames: int,
    tell: Callable[[str], None],
    shares: Sequence[float] | None = None,
) -> Trained:
    """The players of a training, with their scores.

    Args:
        training: The training.
        matches: Of each level against random play, and as many against the level above it.
        frames: After how many a match is ended.
        tell: Called with lines of progress.
        shares: Of the training, after which its network is a level; None: as matches show.
    """
    selves = Selves(training, frames, matches)
    chosen = selves.chosen() if shares is None else selves.at(shares)
    steps = training.settings.envs * training.settings.rollout
    found = {}
    for (name, past), above in zip(chosen.items(), [*LEVELS[1:], None], strict=True):
        row = selves.score(past, None)
        below = None if above is None else selves.score(past, chosen[above]).score
        found[name] = Level(
            past.update * steps, past.minutes, matches, frames, row.score, row.low, row.high, below
        )
        tell(
            f"{name}: {row.score:.3f} ({row.low:.3f}-{row.high:.3f}) against random play"
            + ("" if below is None else f", {below:.3f} against the level above")
        )
    return players_of(training.contest, chosen, found)


def good_enough(trained: Trained) -> bool:
    """Whether the strong player clearly beats random play, as those of the package do."""
    strong = trained.levels["strong"]
    return strong.score >= _GOOD and strong.low > 0.5


def apart(trained: Trained) -> bool:
    """Whether each level is clearly worse than the one above it."""
    return all(it.below is None or it.below < _CLEARLY for it in trained.levels.values())
