"""A worker on a node: one vector, made from a specification that any node can use.

Nothing here knows of Ray.  A worker is a function of its spec, its number and the actions it was
given, so that another one can take its place: `Worker.follow` brings a new one to where the old one
was, from a snapshot and the actions since.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from pyale_ma.games import cards, environments, roms
from pyale_ma.recording.file.format import Header
from pyale_ma.recording.replay.layers import layer_of
from pyale_ma.vector import AtariVectorEnv

Array: TypeAlias = npt.NDArray[Any]
Results: TypeAlias = tuple[Array, Array, Array, Array, dict[str, Any]]
Policy: TypeAlias = Callable[[Array, np.random.Generator], Any]

# What a rollout has of infos, for each step.
_EACH_STEP = (
    "lives",
    "frame_number",
    "episode_frame_number",
    "unclipped_reward",
    "ram",
    "sound",
    "labels",
)
_REFUSED = {
    "batch_size": "a worker's batch is its whole vector; make more workers of fewer environments",
    "copy": "batches come as views of Ray's memory anyway",
    "render_mode": "workers do not render",
}


@dataclass(frozen=True)
class VectorSpec:
    """All that a node needs to know to make any worker's vector.

    Attributes:
        games: What each environment of a worker plays: names, or keys of `files` for cards.
        files: ROM images and cards by the paths they get in a folder of the worker's.
        options: Further arguments of `AtariVectorEnv`.
        seed: Of the first worker's first environment; each further environment's is one more.
    """

    games: tuple[str, ...]
    files: Mapping[str, bytes]
    options: Mapping[str, Any]
    seed: int


@dataclass(frozen=True)
class Description:
    """Properties of a worker's vector: attributes of `AtariVectorEnv`, and a recording's header."""

    single_observation_space: spaces.Space[Any]
    single_action_space: spaces.Space[Any] | None
    action_space: spaces.Space[Any]
    num_actions: list[int]
    action_sets: list[list[int]]
    header: Header


@dataclass(frozen=True)
class Wanted:
    """Data that the driver requests of some steps in addition to their results.

    Attributes:
        snapshot: A snapshot of where the worker is after them, for its `follow`.
        recording: The number of the recording in which they will be.
        begin: What a part of the recording begins with that begins here.
        ram: RAM after them.
    """

    snapshot: bool = False
    recording: int | None = None
    begin: bool = False
    ram: bool = False


@dataclass
class Found:
    """Answer to a `Wanted`; None where nothing was requested.

    Attributes:
        snapshot: The snapshot.
        ram: RAM, uint8 (envs, 128).
        reset: Of what begins here, the reset with which the worker began, if it has not played.
        state: Else its state, and what goes with it in a recording.
    """

    snapshot: bytes | None = None
    ram: Array | None = None
    reset: dict[str, Any] | None = None
    state: tuple[bytes, dict[str, Any]] | None = None


def make_vector_spec(
    games: Sequence[str | os.PathLike[str]], seed: int, options: Mapping[str, Any]
) -> VectorSpec:
    """Specify a vector, with the ROMs that this machine has; workers look for others themselves.

    Raises:
        ValueError: There is no such game, a card has a mistake, or an option is not for workers.
        FileNotFoundError: There is no such card, or no ROM of it here.
    """
    for name, why in _REFUSED.items():
        if name in options:
            raise ValueError(f"{name} is not for collectors: {why}")
    options = dict(options)
    mode = options.get("autoreset_mode", AutoresetMode.NEXT_STEP)
    if isinstance(mode, AutoresetMode):
        options["autoreset_mode"] = mode = mode.value
    if mode == AutoresetMode.DISABLED.value:
        raise ValueError("autoreset_mode is 'Disabled'; collectors take 'NextStep' or 'SameStep'")
    files: dict[str, bytes] = {}
    names: dict[str | os.PathLike[str], str] = {}
    for number, game in enumerate(dict.fromkeys(games)):
        if cards.is_card(game):
            names[game] = _pack_card(Path(game), f"{number}", files)
            continue
        told = environments.played(str(game)).game  # of an environment's name, the game's
        name = roms.known_game(str(told))
        names[game] = name if told == game else str(game)
        with contextlib.suppress(FileNotFoundError):  # the nodes may have it
            files[f"{name}.bin"] = roms.read(roms.find_rom(name))
    return VectorSpec(tuple(names[game] for game in games), files, options, seed)


def _pack_card(path: Path, folder: str, files: dict[str, bytes]) -> str:
    """Add a card and its ROM to `files`; returns the card's key."""
    card = cards.load_card(path)
    rom = roms.find_rom(path)
    files[f"{folder}/{card.rom or f'{card.name}.bin'}"] = roms.read(rom)
    key = f"{folder}/{path.stem}.toml"
    files[key] = path.read_bytes()
    return key


class Worker:
    """One vector, and where it stands.

    Args:
        spec: How to make the vector.
        number: The worker's, from 0.
        num_threads: Of the vector, unless its options say otherwise.

    Raises:
        FileNotFoundError: A ROM is neither in the spec nor on this machine.
        Exception: What `AtariVectorEnv` says of wrong arguments.
    """

    def __init__(self, spec: VectorSpec, number: int, num_threads: int) -> None:
        self.number = number
        options = {"num_threads": num_threads, **spec.options, "copy": False}
        self._seed = spec.seed
        self._envs, self._header = _make_vector(spec, options)
        self._layer = layer_of(self._envs)
        self._was_reset = False  # and has not played since
        self._first_id = number * self._envs.num_envs
        self._last: Results
        self._observations = np.empty(0, np.uint8)

    def describe(self) -> Description:
        """Return the properties of the vector."""
        envs = self._envs
        return Description(
            envs.single_observation_space,
            envs.single_action_space,
            envs.action_space,
            envs.num_actions,
            envs.action_sets,
            self._header,
        )

    def follow(self, snapshot: bytes | None, played: Iterable[Array]) -> None:
        """Go to where another worker was.

        Args:
            snapshot: Of that worker; None: it began with a reset.
            played: The actions since, each with a leading axis of steps.
        """
        envs = self._envs
        self._was_reset = snapshot is None
        if snapshot is None:
            observations, infos = envs.reset(seed=self._seed + self._first_id)
            shape = (envs.num_envs, *([envs.num_players] if envs.num_players else []))
            rewards, terminations = np.zeros(shape, np.int32), np.zeros(shape, np.bool_)
            truncations = np.zeros(envs.num_envs, np.bool_)
            self._last = (observations, rewards, terminations, truncations, infos)
        else:
            envs.restore_state(snapshot)
            self._last = envs.recv()
        for steps in played:
            for actions in steps:
                self._play(actions, False)

    def look(self) -> Results:
        """The last results, valid until the next step; ``env_id`` counts through all workers."""
        *arrays, infos = self._last
        infos = {**infos, "env_id": infos["env_id"] + np.int32(self._first_id)}
        return (arrays[0], arrays[1], arrays[2], arrays[3], infos)

    def step(self, actions: Array, wanted: Wanted) -> tuple[Results, Found]:
        """Play one action of each environment.

        Args:
            actions: As for `AtariVectorEnv.step`.
            wanted: Data to return in addition.

        Returns:
            What `look` returns, and what was wanted.
        """
        found = self._begin(wanted)
        found.snapshot = self._play(actions, wanted.snapshot)
        self._end(wanted, found)
        return self.look(), found

    def _begin(self, wanted: Wanted) -> Found:
        """Find what is wanted before steps."""
        found = Found()
        if wanted.begin and self._was_reset:
            found.reset, _ = self._layer.entry(self._seed + self._first_id, None)
        elif wanted.begin:
            found.state = self._layer.save()
        return found

    def _end(self, wanted: Wanted, found: Found) -> None:
        """Find what is wanted after steps."""
        if wanted.ram:
            found.ram = self._layer.rams()

    def _play(self, actions: Any, snapshot: bool) -> bytes | None:
        """Play a step.  A snapshot, if one is wanted, which has the results in it."""
        envs = self._envs
        self._was_reset = False
        if not snapshot:
            self._last = envs.step(actions)
            return None
        # Saved while results are under way, the state has them, and who restores it receives them.
        envs.send(actions)
        state = envs.save_state()
        self._last = envs.recv()
        return state

    def rollout(
        self, policy: Policy, steps: int, stamp: Mapping[str, int], wanted: Wanted
    ) -> tuple[dict[str, Any], Found]:
        """Play a policy for some steps.

        Args:
            policy: See `RolloutCollector`.
            steps: How many.
            stamp: The worker, the rollout's number and the policy's version, to be handed back.
            wanted: Data to return in addition.

        Returns:
            The fields of a `Rollout`, whose observations are valid until the next one, and what was
            wanted.
        """
        random = np.random.default_rng((self._seed, stamp["worker"], stamp["number"]))
        observations = self._memory(steps)
        fields: dict[str, Array] = {}
        extras: dict[str, Array] = {}
        infos: dict[str, Array] = {}
        episodes: list[dict[str, Array]] = []
        found = self._begin(wanted)
        for step in range(steps):
            seen = self._last[0]
            observations[step] = seen
            actions, further = _decision(policy(seen, random))
            try:
                found.snapshot = self._play(actions, wanted.snapshot and step + 1 == steps)
            except (IndexError, TypeError, ValueError) as problem:
                raise type(problem)(f"the policy's {problem}") from None
            _, rewards, terminations, truncations, info = self._last
            flags = {"terminations": terminations, "truncations": truncations}
            _write(fields, step, steps, {"actions": actions, "rewards": rewards, **flags})
            _write(extras, step, steps, further)
            _write(infos, step, steps, {name: info[name] for name in _EACH_STEP if name in info})
            if "episode" in info:
                ended = np.flatnonzero(info["_episode"])
                episode = {name: info["episode"][name][ended] for name in ("r", "l")}
                env_ids = (ended + self._first_id).astype(np.int32)
                episodes.append({"env_id": env_ids, **episode})
        self._end(wanted, found)
        return {
            **stamp,
            **fields,
            "observations": observations,
            "extras": extras,
            "infos": infos,
            "episodes": _joined(episodes),
            "last_observations": self._last[0],
        }, found

    def _memory(self, steps: int) -> Array:
        """Return memory for observations of `steps` steps; reused, as fresh memory is slow."""
        shape = (steps, *self._last[0].shape)
        if self._observations.shape != shape:
            self._observations = np.empty(shape, self._last[0].dtype)
        return self._observations

    def close(self) -> None:
        """Stop the vector's threads."""
        self._envs.close()


def _decision(given: Any) -> tuple[Array, Mapping[str, Any]]:
    """Actions and what else a policy gave."""
    actions, further = given if isinstance(given, tuple) else (given, {})
    return np.asarray(actions), further


def _write(arrays: dict[str, Array], step: int, steps: int, values: Mapping[str, Any]) -> None:
    """Put values of a step into arrays of all steps."""
    for name, value in values.items():
        value = np.asarray(value)
        if name not in arrays:
            arrays[name] = np.empty((steps, *value.shape), value.dtype)
        arrays[name][step] = value


def _joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Arrays of the same names, one after the other."""
    names = parts[0] if parts else ()
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def _make_vector(spec: VectorSpec, options: Mapping[str, Any]) -> tuple[AtariVectorEnv, Header]:
    """The spec's vector and its header; its files are in a folder only until both are made."""
    with tempfile.TemporaryDirectory(prefix="pyale_ma-") as folder:
        for name, data in spec.files.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        games = [str(Path(folder, game)) if "/" in game else game for game in spec.games]
        before = os.environ.get("PYALE_MA_ROMS")
        os.environ["PYALE_MA_ROMS"] = os.pathsep.join(filter(None, (folder, before)))
        try:
            envs = AtariVectorEnv(games=games, **options)
            return envs, layer_of(envs).header({})
        except FileNotFoundError as absent:
            raise FileNotFoundError(
                f"neither the driver nor this node has a ROM that is needed: {absent}"
            ) from None
        finally:
            if before is None:
                del os.environ["PYALE_MA_ROMS"]
            else:
                os.environ["PYALE_MA_ROMS"] = before
