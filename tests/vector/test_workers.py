"""Worker processes: results as from one `SyncVectorEnv`, and what goes wrong is said."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from common import run_python
from pyale_ma.vector import TorchVectorizedEnv

torch = pytest.importorskip("torch", reason="the results are PyTorch's tensors")

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED]


# Factories are made by functions, so that they are pickled by value: workers need not import this.


def counter() -> Callable[[], gymnasium.Env]:
    def make() -> gymnasium.Env:
        import gymnasium
        import numpy as np
        from gymnasium import spaces

        class Counter(gymnasium.Env):
            """Nested spaces, random episode lengths, and infos that are there now and then."""

            observation_space = spaces.Dict(
                {
                    "picture": spaces.Box(0, 255, (2, 3), np.uint8),
                    "pair": spaces.Tuple([spaces.Discrete(100), spaces.Box(-9, 9, ())]),
                    "flags": spaces.MultiBinary(3),
                }
            )
            action_space = spaces.Dict(
                {"key": spaces.Discrete(3), "stick": spaces.Box(-1, 1, (2,), np.float32)}
            )

            def reset(self, *, seed: Any = None, options: Any = None) -> Any:
                super().reset(seed=seed)
                self.time, self.length = 0, int(self.np_random.integers(2, 6))
                return self.observe(), {"length": self.length, "options": str(options)}

            def step(self, action: Any) -> Any:
                if action["key"] == 2 and action["stick"][0] == 1:
                    raise ArithmeticError("asked for it")
                self.time += 1
                infos = {"where": np.array([self.time, 7]), "inner": {"time": float(self.time)}}
                if self.time % 2:
                    infos["odd"] = True
                reward = int(action["key"]) + float(action["stick"].sum())
                return self.observe(), reward, self.time == self.length, self.time == 4, infos

            def observe(self) -> Any:
                return {
                    "picture": np.full((2, 3), self.time, np.uint8),
                    "pair": (np.int64(self.time), np.array(self.length, np.float32)),
                    "flags": self.np_random.integers(0, 2, 3).astype(np.int8),
                }

            def pid(self) -> int:
                import os

                return os.getpid()

        return Counter()

    return make


def fails_in_worker(what: str) -> Callable[[], gymnasium.Env]:
    parent, make_counter = os.getpid(), counter()

    def make() -> gymnasium.Env:
        import os

        if os.getpid() != parent:
            if what == "raise":
                raise FileNotFoundError("no such ROM")
            os._exit(3)
        return make_counter()

    return make


@pytest.fixture
def made() -> Iterator[Callable[..., TorchVectorizedEnv]]:
    envs = []

    def make(*arguments: Any, **options: Any) -> TorchVectorizedEnv:
        envs.append(TorchVectorizedEnv(*arguments, **options))
        return envs[-1]

    yield make
    for env in envs:
        env.close()


def assert_equal(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for name in theirs:
            assert_equal(ours[name], theirs[name])
    elif isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_equal(one, other)
    elif theirs.dtype == object:
        assert list(ours) == list(theirs)
    else:
        assert isinstance(ours, torch.Tensor)
        np.testing.assert_array_equal(ours.numpy(), theirs, strict=True)


def sample(env: TorchVectorizedEnv) -> dict[str, Any]:
    actions = env.action_space.sample()
    return {name: torch.from_numpy(part) for name, part in actions.items()}


@pytest.mark.parametrize("mode", MODES, ids=[mode.value for mode in MODES])
def test_results_are_those_of_one_sync_vector(made: Any, mode: AutoresetMode) -> None:
    ours = made(counter(), 2, 3, autoreset_mode=mode)
    theirs = SyncVectorEnv([counter()] * 6, autoreset_mode=mode)
    assert ours.num_envs == 6
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == mode
    assert_equal(ours.reset(seed=5, options={"a": 1}), theirs.reset(seed=5, options={"a": 1}))
    ours.action_space.seed(0)
    ends = 0
    for _ in range(20):
        actions = sample(ours)
        observations, rewards, *flags, infos = ours.step(actions)
        expected = theirs.step({name: part.numpy() for name, part in actions.items()})
        assert_equal(observations, expected[0])
        assert_equal(rewards, expected[1].astype(np.float32))
        assert_equal(tuple(flags), expected[2:4])
        if "final_obs" in infos:
            ended = expected[2] | expected[3]
            assert_equal(infos["_final_obs"], ended)
            for index in np.flatnonzero(ended):
                row = expected[4]["final_obs"][index]
                np.testing.assert_array_equal(infos["final_obs"]["picture"][index], row["picture"])
            assert not infos["final_obs"]["picture"][~torch.from_numpy(ended)].any()
        for name in ("final_obs", "_final_obs"):
            assert (infos.pop(name, None) is None) == (expected[4].pop(name, None) is None)
        assert_equal(infos, expected[4])
        ended = flags[0] | flags[1]
        ends += int(ended.sum())
        if mode == AutoresetMode.DISABLED and ended.any():
            # A copy: SyncVectorEnv takes the mask out of the options.
            assert_equal(
                ours.reset(options={"reset_mask": ended}),
                theirs.reset(options={"reset_mask": ended.numpy()}),
            )
    assert ends > 6


def test_each_worker_has_its_own_process(made: Any) -> None:
    env = made(counter(), 2, 2)
    first, same, second, other = env.call("pid")
    assert first == same != second == other
    assert os.getpid() not in (first, second)


def test_seeds_one_by_one(made: Any) -> None:
    env = made(counter(), 2, 1)
    _, one = env.reset(seed=8)
    _, two = env.reset(seed=torch.tensor([8, 9]))
    _, three = env.reset(seed=[9, 8])
    assert torch.equal(one["length"], two["length"])
    assert torch.equal(one["length"].flip(0), three["length"])
    with pytest.raises(ValueError, match="3 seeds for 2 environments"):
        env.reset(seed=[1, 2, 3])


def test_results_stay(made: Any) -> None:
    env = made(counter(), 1, 2)
    observations, _ = env.reset(seed=0)
    before = observations["picture"].clone()
    env.step(sample(env))
    assert torch.equal(observations["picture"], before)


def test_pettingzoo(made: Any) -> None:
    """One agent of a PettingZoo environment; the others play at random."""

    def make() -> gymnasium.Env:
        import gymnasium

        from pyale_ma.multi import pong_v3

        class FirstAgent(gymnasium.Env):
            def __init__(self) -> None:
                self.env = pong_v3.parallel_env(num_players=2)
                self.agent, *_ = self.env.possible_agents
                self.observation_space = self.env.observation_space(self.agent)
                self.action_space = self.env.action_space(self.agent)

            def reset(self, *, seed: Any = None, options: Any = None) -> Any:
                observations, infos = self.env.reset(seed=seed, options=options)
                return observations[self.agent], infos[self.agent]

            def step(self, action: Any) -> Any:
                actions = {name: self.env.action_space(name).sample() for name in self.env.agents}
                results = self.env.step({**actions, self.agent: action})
                return tuple(result[self.agent] for result in results)

            def close(self) -> None:
                self.env.close()

        return FirstAgent()

    env = made(make, 2, 1)
    observations, _ = env.reset(seed=0)
    assert observations.shape == (2, 210, 160, 3)
    observations, rewards, *_ = env.step(torch.zeros(2, dtype=torch.int64))
    assert observations.dtype == torch.uint8
    assert rewards.dtype == torch.float32


def test_factory_that_cannot_be_pickled() -> None:
    lock = threading.Lock()

    def make() -> gymnasium.Env:
        with lock:
            return gymnasium.make("CartPole-v1")

    with pytest.raises(TypeError, match=r"env_factory cannot be pickled.*lock"):
        TorchVectorizedEnv(make, 1, 1)


def test_actions_of_the_wrong_size(made: Any) -> None:
    env = made(counter(), 2, 3)
    env.reset(seed=0)
    actions = sample(env)
    wrong = {**actions, "key": torch.zeros(5, dtype=torch.int64)}
    with pytest.raises(ValueError, match=r"'key'.* shape \(6,\), for 2 workers with 3 .* \(5,\)"):
        env.step(wrong)
    with pytest.raises(ValueError, match="keys"):
        env.step({"key": actions["key"]})
    with pytest.raises(TypeError, match="must be int64, not float32"):
        env.step({**actions, "key": torch.zeros(6)})
    _, _, _, _, infos = env.step(actions)  # nothing was played by then
    assert (infos["inner"]["time"] == 1).all()


@pytest.mark.parametrize("context", ["spawn", "forkserver", "fork"])
def test_worker_that_dies_at_start(context: str, capfd: Any) -> None:
    with pytest.raises(RuntimeError, match=r"worker \d died with exit code 3 at its start"):
        TorchVectorizedEnv(fails_in_worker("exit"), 2, 1, context=context)


@pytest.mark.filterwarnings("ignore:.*ERROR:UserWarning")  # Gymnasium's account of it
def test_factory_that_fails_in_worker(capfd: Any) -> None:
    with pytest.raises(
        RuntimeError, match="could not start: FileNotFoundError: no such ROM"
    ) as raised:
        TorchVectorizedEnv(fails_in_worker("raise"), 2, 1)
    assert isinstance(raised.value.__cause__, FileNotFoundError)


def assert_ended(pids: Any) -> None:
    for pid in set(pids):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_worker_that_dies_later(made: Any) -> None:
    env = made(counter(), 3, 1)
    env.reset(seed=0)
    pids = env.call("pid")
    os.kill(pids[1], 9)
    with pytest.raises(RuntimeError, match="worker 1 died with exit code -9"):
        env.step(sample(env))
    assert_ended(pids)
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        env.step(sample(env))


@pytest.mark.filterwarnings("ignore:.*ERROR:UserWarning")  # Gymnasium's account of it
def test_exception_of_an_environment(made: Any, capfd: Any) -> None:
    env = made(counter(), 2, 1)
    env.reset(seed=0)
    pids = env.call("pid")
    actions = {"key": torch.tensor([0, 2]), "stick": torch.ones(2, 2)}
    with pytest.raises(ArithmeticError, match="asked for it"):
        env.step(actions)
    assert_ended(pids)


def test_close_ends_the_processes() -> None:
    env = TorchVectorizedEnv(counter(), 2, 1)
    pids = env.call("pid")
    env.close()
    env.close()
    assert_ended(pids)
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        env.reset()


def test_close_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> gymnasium.Env:
        import threading

        env = counter_once()
        env.close = lambda: threading.Event().wait()  # type: ignore[method-assign, assignment]
        return env

    parent, make_counter = os.getpid(), counter()

    def counter_once() -> gymnasium.Env:
        return make_counter()

    def make_slow() -> gymnasium.Env:
        import os

        return counter_once() if os.getpid() == parent else make()

    env = TorchVectorizedEnv(make_slow, 1, 1)
    pids = env.call("pid")
    env.close(timeout=0.2)
    assert_ended(pids)


def test_losing_it_ends_the_processes() -> None:
    env = TorchVectorizedEnv(counter(), 1, 1)
    pids = env.call("pid")
    del env
    assert_ended(pids)


def test_refuses() -> None:
    make = counter()
    with pytest.raises(ValueError, match="num_workers is 0"):
        TorchVectorizedEnv(make, 0)
    with pytest.raises(TypeError, match="envs_per_worker must be a whole number"):
        TorchVectorizedEnv(make, 1, 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="env_factory must be a function"):
        TorchVectorizedEnv("pong", 1)  # type: ignore[arg-type]

    def talk() -> gymnasium.Env:
        env = make()
        env.observation_space = spaces.Dict({"said": spaces.Text(5)})
        return env

    with pytest.raises(ValueError, match=r"observation space has Text.*does not make tensors"):
        TorchVectorizedEnv(talk, 1)


def test_order_of_calls(made: Any) -> None:
    env = made(counter(), 1, 2)
    with pytest.raises(RuntimeError, match="reset must be called"):
        env.step(sample(env))
    with pytest.raises(RuntimeError, match="first reset must be of all"):
        env.reset(options={"reset_mask": torch.tensor([True, False])})
    env.reset()
    with pytest.raises(ValueError, match=r"must be bool \(2,\)"):
        env.reset(options={"reset_mask": torch.tensor([1, 0])})


def test_import_without_torch() -> None:
    run_python("import sys, pyale_ma.vector; sys.exit('torch' in sys.modules)")
