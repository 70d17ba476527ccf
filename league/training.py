"""A training: a network plays itself and its past selves, and leaves selves behind.

A training has a folder.  Its checkpoint there is written aside, so that one is always whole, and
holds all that the rest depends on: a training that is interrupted and goes on ends with the same
network, to the last bit, as one that is not.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from league.learner import LARGEST, Learner, Network, Rollout, Settings
from pyale_ma._base.fields import short
from pyale_ma._base.files import locked, open_file, written_aside
from pyale_ma.opponents import LEVELS, Contest
from pyale_ma.opponents.weights import DIGEST, MOST_BYTES
from pyale_ma.vector import AtariVectorEnv

FOLDER = Path("runs")  # of all trainings, unless another is given
CHECKPOINT = "checkpoint.pt"
LOCK = "training.lock"
LONGEST = 20_000  # frames of a game; good players can go on for ever
_SURVEY = 1_500  # steps of random play that show which bytes change
_MOST = 1e12  # that a number of a checkpoint may be
# Actions, int64 (n, players), in games whose memory is uint8 (n, 2, 128), the present one last.
Opponent: TypeAlias = Callable[[Tensor], Tensor]


def vector(contest: Contest, envs: int, **options: Any) -> AtariVectorEnv:
    """Games of a contest, in which RAM is observed."""
    options = {"obs_type": "ram", "stack_num": 2, "num_threads": 1, **options}
    return AtariVectorEnv(
        contest.game,
        envs,
        num_players=contest.players,
        mode=contest.mode,
        max_num_frames_per_episode=LONGEST,
        **options,
    )


def changing_bytes(contest: Contest, seed: int) -> list[int]:
    """The bytes of RAM that differ between games or moments, of random play with long actions."""
    random = np.random.default_rng(seed)
    envs = vector(contest, 16, autoreset_mode="SameStep", stack_num=1)
    first, _ = envs.reset(seed=seed)
    changed = np.zeros(128, bool)
    shape = envs.action_space.shape
    actions = random.integers(envs.num_actions[0], size=shape)
    for _ in range(_SURVEY):
        drawn = random.integers(envs.num_actions[0], size=shape)
        actions = np.where(random.random(shape) < 0.1, drawn, actions)
        changed |= (envs.step(actions)[0] != first[0]).any((0, 1))
    envs.close()
    return [int(byte) for byte in np.flatnonzero(changed)]


def fits(hidden: int, used: int, players: int, actions: int) -> bool:
    """Whether three levels with so many neurons fit into a file of players."""
    numbers = hidden * (2 * used * players + hidden + actions)
    return 2 * len(LEVELS) * numbers < 0.92 * MOST_BYTES


def most_hidden(*sizes: int) -> int:
    """The neurons, a multiple of 4 up to 64, with which they fit; `sizes` are those of `fits`."""
    return max((hidden for hidden in range(4, 65, 4) if fits(hidden, *sizes)), default=4)


@dataclass(kw_only=True)
class Met:
    """Results of the learner against an opponent."""

    won: float = 1.0  # what the learner gained against it, and lost, with less weight long ago
    lost: float = 1.0

    @property
    def gained(self) -> float:
        """The learner's share, 0 to 1."""
        return self.won / (self.won + self.lost)


@dataclass
class Past(Met):
    """Past version of the network."""

    update: int
    minutes: float  # of processor time that it had learned
    network: dict[str, Tensor]

    @property
    def weight(self) -> float:
        """Weight in the draw of opponents: the higher, the better it still does."""
        return 0.05 + self.lost / (self.won + self.lost)


class Games:
    """The learner's games: with itself, and a share of them with an opponent."""

    def __init__(self, contest: Contest, settings: Settings) -> None:
        self._settings = settings
        self.native = vector(
            contest,
            settings.envs,
            autoreset_mode="SameStep",
            reward_clipping=not settings.points,
        )
        self.actions = self.native.num_actions[0]
        self.players = contest.players
        self._envs = self.native.torch()
        self._observations, _ = self._envs.reset(seed=settings.seed)
        # In the first games the learner has one seat each.
        self._with_past = settings.past_games
        self._mine = torch.ones(settings.envs, contest.players, dtype=torch.bool)
        for game in range(self._with_past):
            self._mine[game] = torch.arange(contest.players) == game % contest.players
        self._out = torch.zeros_like(self._mine)
        # The first of the others' actions are scripted: in turn of who does nothing, which is
        # action 0, and of who mostly does what he did before.
        self._scripted = torch.zeros(settings.scripted, contest.players, dtype=torch.long)
        # Of the rewards that were not 0, the mean of their squares and how many there were.
        self._squares = torch.zeros(2, dtype=torch.float64)

    @torch.no_grad()
    def play(self, network: Network, opponent: Opponent, met: Met) -> tuple[Rollout, Tensor]:
        """One rollout, and the values of where it leads.

        Args:
            network: What learns.
            opponent: Has the seats that the network has not.
            met: Is told how the network does against it.
        """
        steps, count = [], self._with_past
        seen = network.features(self._observations, learn=True)
        mine = self._mine[:count].float()
        met.won, met.lost = 0.9 * met.won, 0.9 * met.lost
        for _ in range(self._settings.rollout):
            policy, values = network(seen)
            actions = policy.sample()
            if count:
                theirs = opponent(self._observations[:count])
                theirs[: len(self._scripted)] = self._script()
                actions[:count] = torch.where(self._mine[:count], actions[:count], theirs)
            log_probs = policy.log_prob(actions)
            self._observations, rewards, terminated, truncated, _ = self._envs.step(actions)
            rewards = self._rewards(rewards)
            others = (rewards.sum(1, keepdim=True) - rewards) / (self.players - 1)
            more = ((rewards - others)[:count] * mine).sum(1)[len(self._scripted) :]
            rewards -= self._settings.rivalry * others
            met.won += more.clamp(min=0).sum().item()
            met.lost -= more.clamp(max=0).sum().item()
            ends = terminated | truncated[:, None]
            learns = self._mine & ~self._out
            steps.append((seen, actions, log_probs, values, rewards, ends.float(), learns.float()))
            self._out = ends & ~ends.all(1, keepdim=True)  # who is out waits for the others
            seen = network.features(self._observations, learn=True)
        return Rollout(*map(torch.stack, zip(*steps, strict=True))), network(seen)[1]

    def _rewards(self, rewards: Tensor) -> Tensor:
        """Rewards to learn from: points come in units of their root mean square so far."""
        if not self._settings.points:
            return rewards.float()
        exact = rewards[rewards != 0].double()
        if len(exact):
            mean, count = self._squares
            count += len(exact)
            mean += (exact.square().mean() - mean) * len(exact) / count
        return (rewards / self._squares[0].sqrt().clamp(min=1)).float().clamp(-LARGEST, LARGEST)

    def _script(self) -> Tensor:
        """Return the actions of the scripted opponents."""
        moving = self._scripted[1::2]
        if moving.numel():
            drawn = torch.randint(self.actions, moving.shape)
            moving.copy_(torch.where(torch.rand(moving.shape) < 0.1, drawn, moving))
        return self._scripted

    def state(self) -> dict[str, Any]:
        """All of it, for `restore`."""
        vector = np.frombuffer(self.native.save_state(), np.uint8).copy()
        return {
            "vector": torch.from_numpy(vector),
            "observations": self._observations.clone(),
            "out": self._out,
            "scripted": self._scripted,
            "squares": self._squares,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self.native.restore_state(state["vector"].numpy().tobytes())
        self._observations, self._out = state["observations"], state["out"]
        self._scripted, self._squares = state["scripted"], state["squares"]


@contextlib.contextmanager
def _refused(file: Path) -> Iterator[None]:
    """Have any error say that a file is no checkpoint: a stranger may have written it."""
    try:
        yield
    except Exception as error:
        ours = isinstance(error, (OSError, ValueError))
        text = short(error) if ours else "it holds something else"
        raise ValueError(f"{file} is no checkpoint, or damaged: {text}") from error


def read_checkpoint(file: Path) -> dict[str, Any]:
    """The state of a training.

    Args:
        file: Where `Training.save` has written it, with a SHA-256 at its end.

    Raises:
        ValueError: It is no checkpoint, or damaged.
    """
    with _refused(file):
        with open_file(file) as stream:
            whole = stream.read()
        if hashlib.sha256(whole[:-DIGEST]).digest() != whole[-DIGEST:]:
            raise ValueError("its checksum is another")
        state = torch.load(io.BytesIO(whole[:-DIGEST]), weights_only=True)
        if not isinstance(state, dict):
            raise ValueError("it holds something else")
    return state


def _is_like(name: str, found: Any, wanted: Any, ranges: Mapping[str, tuple[Any, Any]]) -> bool:
    """Whether a value has the type and shape of another, and numbers in their range.

    Args:
        name: Whose ranges are meant.
        found: What a checkpoint has.
        wanted: What it might have instead; None: anything.
        ranges: The least and greatest numbers, where they are not those of all.
    """
    if wanted is None:
        return True
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            _is_like(key, found[key], value, ranges) for key, value in wanted.items()
        )
    if isinstance(wanted, list):  # of any length
        return all(_is_like(name, each, wanted[0], ranges) for each in found)
    low, high = ranges.get(name, (-_MOST, _MOST))
    if isinstance(wanted, Tensor):
        if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
            return False
        return bool(((low <= found) & (found <= high)).all())
    return bool(low <= found <= high)


@contextlib.contextmanager
def going_on(folder: Path, pattern: str = CHECKPOINT) -> Iterator[None]:
    """Have an interruption say from which checkpoint the same command goes on.

    Args:
        folder: Of one training, or several.
        pattern: Of the checkpoints in it.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        if not error.args:
            there = any(folder.glob(pattern))
            text = f"the same command goes on from {folder / pattern}"
            error.args = (text if there else "there is no checkpoint yet",)
        raise


class Training:
    """A training of one contest, from its beginning or from its checkpoint.

    Args:
        contest: What is played.
        settings: How it is learned.
        folder: Where its checkpoint is, or will be.

    Raises:
        ValueError: The checkpoint is of another contest or of other settings, or damaged.
    """

    def __init__(self, contest: Contest, settings: Settings, folder: Path) -> None:
        self.contest, self.settings, self.folder = contest, settings, folder
        torch.manual_seed(settings.seed)
        self.games = Games(contest, settings)
        used = changing_bytes(contest, settings.seed)
        sizes = (len(used), contest.players, self.games.actions)
        hidden = settings.hidden or most_hidden(*sizes)
        if settings.hidden and not fits(hidden, *sizes):
            most = max(few for few in range(hidden) if fits(few, *sizes))
            raise ValueError(f"hidden is {hidden}; a file of players has room for {most} at most")
        network = Network(used, contest.players, hidden, self.games.actions)
        self._opponent = copy.deepcopy(network)
        self.learner = Learner(network, settings)
        self.update, self.minutes = 0, 0.0
        self.selves: list[Past] = []
        self._restore()

    @property
    def network(self) -> Network:
        """The network that learns."""
        return self.learner.network

    @property
    def now(self) -> Past:
        """A copy of the current network."""
        return Past(self.update, self.minutes, copy.deepcopy(self.network.state_dict()))

    def run(
        self, tell: Callable[[str], None], *, until: int | None = None, save_every: float = 60.0
    ) -> None:
        """Learn until all updates are done.

        Args:
            tell: Called with lines of progress.
            until: Stop after this number of steps of games; None: after all.
            save_every: Seconds of processor time between checkpoints.

        Raises:
            BlockingIOError: Another process trains in this folder.
            ValueError: The checkpoint is of another training by now, or damaged.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / LOCK):
            self._restore()  # another process may have gone on in the meantime
            self._run(tell, until, save_every)

    def _run(self, tell: Callable[[str], None], until: int | None, save_every: float) -> None:
        settings, began = self.settings, time.process_time() - 60 * self.minutes
        saved = time.process_time()
        end = settings.updates
        if until is not None:
            end = min(end, max(1, until // (settings.envs * settings.rollout)))
        while self.update < end:
            played, last = self.games.play(self.network, *self._meet())
            entropy = self.learner.learn(played, last, self.update / settings.updates)
            self.update += 1
            self.minutes = (time.process_time() - began) / 60
            if self.update == 1 or self.update % 20 == 0 or self.update == end:
                tell(self._progress(entropy, played))
            if time.process_time() - saved > save_every:
                self.save()
                saved = time.process_time()
        if self.update > 0:
            self.save()

    def _meet(self) -> tuple[Opponent, Met]:
        """Who is met next: one of the past selves, rather one that still does well."""
        every = max(1, self.settings.updates // self.settings.selves)
        if self.update % every == 0 or not self.selves:
            self.selves.append(self.now)
        shares = torch.tensor([past.weight for past in self.selves])
        past = self.selves[int(torch.multinomial(shares, 1))]
        self._opponent.load_state_dict(past.network)
        return self._opponent.act, past

    def _success(self) -> str:
        """Return the learner's results, for people."""
        gained = [past.gained for past in self.selves]
        return f"against past selves {sum(gained) / len(gained):.2f}"

    def _progress(self, entropy: float, played: Rollout) -> str:
        settings = self.settings
        share = self.update / settings.updates
        rewards = played.rewards.abs().sum().item() / played.rewards[..., 0].numel()
        return (
            f"{self.update * settings.envs * settings.rollout:>10,} steps of {settings.steps:,}  "
            f"{self.minutes:5.1f} of about {self.minutes / share:.1f} min of a processor  "
            f"|reward| {rewards:.4f}  entropy {entropy:.2f}  {self._success()}"
        )

    # ---- Checkpoints -----------------------------------------------------------------------------

    def _told(self) -> dict[str, Any]:
        """Return the settings that a checkpoint must agree with."""
        return {"contest": asdict(self.contest), "settings": asdict(self.settings)}

    def save(self) -> None:
        """Write the checkpoint."""
        state = {
            **self._told(),
            "update": self.update,
            "minutes": self.minutes,
            "random": torch.get_rng_state(),
            "learner": self.learner.state(),
            "games": self.games.state(),
            "selves": [asdict(past) for past in self.selves],
        }
        stream = io.BytesIO()
        torch.save(state, stream)
        body = stream.getvalue()
        with written_aside(self.folder / CHECKPOINT) as aside:
            aside.write_bytes(body + hashlib.sha256(body).digest())

    def _restore(self) -> None:
        """Continue from the checkpoint, if there is one."""
        file = self.folder / CHECKPOINT
        if not file.exists():
            return
        state = read_checkpoint(file)
        with _refused(file):
            differing = []
            for name, told in self._told().items():
                theirs = state.get(name)
                if type(theirs) is not dict or theirs.keys() != told.keys():
                    raise ValueError(f"its {name} cannot be that of a training")
                differing += [
                    f"{key} is {short(repr(theirs[key]))}, not {mine!r}"
                    for key, mine in told.items()
                    if repr(theirs[key]) != repr(mine)
                ]
        if differing:
            raise ValueError(
                f"{file} is of another training: {', '.join(differing)}; go on with the same, or "
                "give another folder"
            )
        with _refused(file):
            self._check(state)
            self.games.restore(state["games"])
            torch.set_rng_state(state["random"])
            self.learner.restore(state["learner"])
            self.update, self.minutes = state["update"], state["minutes"]
            self.selves = [Past(**past) for past in state["selves"]]

    def _check(self, state: dict[str, Any]) -> None:
        """Raise a ValueError if it cannot be a state of this training."""
        network = self.network.state_dict()
        moments = {
            number: {"step": torch.zeros(()), "exp_avg": it.detach(), "exp_avg_sq": it.detach()}
            for number, it in enumerate(self.network.parameters())
        }
        wanted = {
            "update": 0,
            "minutes": 0.0,
            "random": torch.get_rng_state(),
            "learner": {"network": network, "optimizer": moments},
            "games": {**self.games.state(), "vector": None},  # which checks its bytes itself
            "selves": [asdict(Past(0, 0.0, network))],
        }
        ranges: dict[str, tuple[Any, Any]] = {
            **dict.fromkeys(("count", "square", "squares", "step", "exp_avg_sq"), (0, _MOST)),
            "minutes": (0, 1e9),
            **dict.fromkeys(("won", "lost"), (math.ulp(0), _MOST)),
            "update": (0, self.settings.updates),
            "scripted": (0, self.games.actions - 1),
            "used": (network["used"], network["used"]),
        }
        for name, value in wanted.items():
            if not _is_like(name, state.get(name), value, ranges):
                raise ValueError(f"its {name} cannot be that of this training")
