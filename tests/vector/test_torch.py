"""The PyTorch adapter: tensors equal the arrays, in eager and in compiled code, also on a GPU."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the PyTorch adapter needs PyTorch")


from gymnasium.error import ClosedEnvironmentError  # noqa: E402

from pyale_ma.vector import AtariVectorEnv  # noqa: E402
from pyale_ma.vector.torch_adapter import _copy_at_once  # noqa: E402

SMALL: dict[str, Any] = {"img_height": 21, "img_width": 16, "stack_num": 2, "num_threads": 1}
CASES: dict[str, dict[str, Any]] = {
    "usual": {},
    "same step": {"autoreset_mode": "SameStep", "max_num_frames_per_episode": 21},
    "infos": {"extra_infos": ["episode", "ram", "sound"], "max_num_frames_per_episode": 21},
    "views": {"copy": False},
    "ram": {"obs_type": "ram"},
    "players": {"num_players": 2},
    "small batches": {"batch_size": 2},
}
cases = pytest.mark.parametrize("options", CASES.values(), ids=CASES.keys())
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=gpu)])
def device(request: pytest.FixtureRequest) -> Any:
    """Where results are put."""
    return request.param


@pytest.fixture(params=["aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def compiling(request: pytest.FixtureRequest) -> Any:
    """`torch.compile`, quickly without the last stage, which makes C++ of the graph."""
    return functools.partial(torch.compile, fullgraph=True, backend=request.param)


def make(**options: Any) -> AtariVectorEnv:
    return AtariVectorEnv("pong", 4, **{**SMALL, **options})


def leaves(results: Any) -> list[Any]:
    if isinstance(results, dict):
        return [leaf for value in results.values() for leaf in leaves(value)]
    return (
        [leaf for value in results for leaf in leaves(value)]
        if isinstance(results, tuple)
        else [results]
    )


def same(tensors: Any, arrays: Any) -> None:
    """Tensors and arrays are equal, dtypes too; infos that only the adapter has are 0."""
    if isinstance(tensors, tuple):
        for tensor, array in zip(tensors, arrays, strict=True):
            same(tensor, array)
    elif isinstance(tensors, dict):
        for name, tensor in tensors.items():
            if name in arrays:
                same(tensor, arrays[name])
            else:
                assert not any(leaf.any() for leaf in leaves(tensor)), name
    else:
        numbers = tensors.cpu().numpy()
        assert numbers.dtype == arrays.dtype
        assert np.array_equal(numbers, arrays)


def actions_of(env: AtariVectorEnv, step: int, device: str = "cpu") -> Any:
    shape = env.action_space.shape
    assert shape is not None
    return (torch.arange(int(np.prod(shape)), device=device).reshape(shape) + step) % 6


@cases
def test_equals_arrays(options: dict[str, Any], device: str) -> None:
    env, other = make(**options), make(**options)
    adapter = other.torch(device=device)
    same(adapter.reset(seed=3), env.reset(seed=3))
    for step in range(15):
        actions = actions_of(env, step, device)
        results = adapter.step(actions)
        assert {leaf.device.type for leaf in leaves(results)} == {device}
        same(results, env.step(actions.cpu().numpy()))
    env.send(actions.cpu().numpy())
    adapter.send(actions)
    same(adapter.recv(), env.recv())
    if env.batch_size == env.num_envs:
        mask = np.array([True, False, True, False])
        same(
            adapter.reset(
                seed=torch.tensor([5, 6], device=device),
                options={"reset_mask": torch.from_numpy(mask).to(device)},
            ),
            env.reset(seed=[5, 6], options={"reset_mask": mask}),
        )


def rollout(adapter: Any, actions: Any, steps: int) -> Any:
    """A loop of calls whose results meet in a few numbers."""
    observations, infos = adapter.reset(seed=9)
    total = observations.float().mean()
    counts = [infos["frame_number"]]
    for step in range(steps):
        observations, rewards, terminations, truncations, infos = adapter.step((actions + step) % 6)
        total = total + observations.float().mean() * (step + 1) + rewards.sum()
        total = total + (terminations.any() | truncations.any())
        counts.append(infos["frame_number"])
        if "final_obs" in infos:
            total = total + 3 * infos["final_obs"].float().mean()
    adapter.send(actions)
    observations, *_, infos = adapter.recv()
    return observations, total, torch.stack([*counts, infos["frame_number"]])


@cases
def test_compiled_code_equals_eager_code(
    options: dict[str, Any], device: str, compiling: Any
) -> None:
    torch._dynamo.reset()  # else it gives up on a function that it has met with many environments
    compiled, eager = (make(**options).torch(device=device) for _ in range(2))
    function = compiling(rollout)
    actions = actions_of(eager.env, 0, device)
    for _ in range(2):
        ours = function(compiled, actions, 6)
        theirs = rollout(eager, actions, 6)
        assert torch.equal(ours[0], theirs[0])
        assert torch.allclose(ours[1], theirs[1])
        assert torch.equal(ours[2], theirs[2])


def test_calls_whose_results_nobody_needs_are_made(compiling: Any) -> None:
    env, other = make(), make()
    adapter, untouched = env.torch(), other.torch()

    def play(actions: Any) -> Any:
        adapter.step(actions)
        adapter.step(actions)  # the same call again
        return actions + 1

    actions = actions_of(env, 1)
    adapter.reset(seed=0)
    untouched.reset(seed=0)
    compiling(play)(actions)
    for _ in range(2):
        untouched.step(actions)
    assert torch.equal(adapter.step(actions)[0], untouched.step(actions)[0])


def test_results_are_tensors_of_their_own(compiling: Any) -> None:
    """Compiled code, which may write to them, would else see other results than eager code."""
    torch._dynamo.reset()
    options = {"autoreset_mode": "SameStep", "max_num_frames_per_episode": 5}

    def play(adapter: Any, actions: Any) -> Any:
        adapter.reset(seed=0)
        adapter.step(actions)
        infos = adapter.step(actions)[4]
        infos["_final_obs"].logical_not_()
        return infos["_final_obs"], infos["_final_info"]

    adapters = [make(**options).torch() for _ in range(2)]
    actions = actions_of(adapters[0].env, 0)
    ours, theirs = (
        compiling(play)(adapters[0], actions),
        play(adapters[1], actions),
    )
    assert torch.equal(ours[0], theirs[0])
    assert torch.equal(ours[1], theirs[1])
    assert theirs[1].all()


def test_two_vectors_in_one_graph(device: str, compiling: Any) -> None:
    adapters = [make().torch(device=device) for _ in range(4)]
    actions = actions_of(adapters[0].env, 2, device)

    def play(one: Any, two: Any) -> Any:
        first = one.reset(seed=1)[0]
        second = two.reset(seed=2)[0]
        for _ in range(3):
            first = first + one.step(actions)[0]
            second = second + two.step(actions)[0]
        return first, second

    for ours, theirs in zip(compiling(play)(*adapters[:2]), play(*adapters[2:]), strict=True):
        assert torch.equal(ours, theirs)


def test_a_policy_can_be_trained_through_it() -> None:
    env = AtariVectorEnv("boxing", 2, continuous=True, **SMALL)
    adapter = env.torch()
    adapter.reset(seed=0)
    weights = torch.full((3,), 0.5, requires_grad=True)
    actions = weights * torch.ones(2, 1)
    _, rewards, *_ = adapter.step(actions)
    (actions.sum() * rewards.float().sum()).backward()
    assert weights.grad is not None


def test_a_policy_can_be_trained_through_compiled_code(device: str, compiling: Any) -> None:
    def loss(adapter: Any, weights: Any) -> Any:
        total = torch.zeros((), device=device)
        for _ in range(3):
            actions = weights * torch.ones(2, 1, device=device)
            _, rewards, _, _, infos = adapter.step(actions)
            total = total + actions.exp().sum() * (infos["frame_number"].sum() + rewards.sum())
        return total

    gradients = []
    for function in (compiling(loss), loss):
        env = AtariVectorEnv("boxing", 2, continuous=True, noop_max=0, **SMALL)
        adapter = env.torch(device=device)
        adapter.reset(seed=0)
        weights = torch.full((3,), 0.5, requires_grad=True, device=device)
        function(adapter, weights).backward()  # calls are not made again for it
        gradients.append(weights.grad)
        assert adapter.step(weights.expand(2, 3))[4]["episode_frame_number"].tolist() == [17, 17]
    torch.testing.assert_close(*gradients)


def test_kept_tensors_stay_as_they_are(device: str) -> None:
    adapter = make().torch(device=device)
    kept = [adapter.reset(seed=0)[0]]
    copies = [kept[0].clone()]
    for step in range(8):
        kept.append(adapter.step(actions_of(adapter.env, step, device))[0])
        copies.append(kept[-1].clone())
    adapter.close()
    del adapter
    gc.collect()
    assert all(torch.equal(a, b) for a, b in zip(kept, copies, strict=True))


BAD: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda adapter: adapter.step(torch.zeros(3, dtype=torch.int64)), ValueError, "shape"),
    (lambda adapter: adapter.step(torch.zeros(4)), TypeError, "whole numbers"),
    (lambda adapter: adapter.step(torch.full((4,), 9)), IndexError, r"actions\[0\] is 9"),
    (lambda adapter: adapter.recv(), RuntimeError, "outstanding"),
    (lambda adapter: adapter.reset(seed=-1), ValueError, "negative"),
]


@pytest.mark.parametrize(("call", "kind", "text"), BAD)
def test_bad_calls(
    call: Callable[[Any], Any], kind: type[Exception], text: str, device: str
) -> None:
    adapter = make().torch(device=device)
    adapter.reset(seed=0)
    with pytest.raises(kind, match=text):
        call(adapter)
    adapter.step(actions_of(adapter.env, 0))


@pytest.mark.parametrize("inference", [False, True])
def test_tensors_of_absent_infos_are_zeros_whatever_callers_do(inference: bool) -> None:
    with torch.inference_mode(inference):
        envs = AtariVectorEnv("pong", 2, obs_type="ram", autoreset_mode="SameStep").torch()
        envs.reset(seed=1)
        for _ in range(3):
            *_, infos = envs.step(torch.zeros(2, dtype=torch.int64))
            assert not infos["final_obs"].any()
            infos["final_obs"][0] = 7
        envs.close()


def test_after_close(compiling: Any) -> None:
    adapter = make().torch()
    adapter.reset(seed=0)
    function = compiling(lambda actions: adapter.step(actions)[0])
    actions = actions_of(adapter.env, 0)
    function(actions)
    adapter.close()
    with pytest.raises(ClosedEnvironmentError):
        adapter.step(actions)
    with pytest.raises(ClosedEnvironmentError):
        function(actions)
    with pytest.raises(ClosedEnvironmentError):
        adapter.env.torch()


# ---- What only a GPU has: copies that are under way, streams, graphs ----------------------------


def late_zero(ones: Any) -> Any:
    """A zero that a GPU has to work for."""
    product = ones
    for _ in range(10):
        product = product @ ones / len(ones)
    return product.sum().to(torch.int64) - ones.numel()


@gpu
@pytest.mark.parametrize("copy", [True, False])
def test_gpu_behind_the_library(copy: bool) -> None:
    """Results are right although the GPU reads them long after the library's next steps."""
    env, other = make(), make(copy=copy)
    adapter = other.torch(device="cuda")
    ones = torch.ones(2000, 2000, device="cuda")
    same(adapter.reset(seed=3), env.reset(seed=3))
    kept = []
    for step in range(50):
        actions = actions_of(env, step)
        busy = late_zero(ones)
        tensors = adapter.step(actions)
        sums = tensors[0].to(torch.int64).sum() + busy
        kept.append((tensors, sums, env.step(actions.numpy())))
    for tensors, sums, arrays in kept:
        same(tensors, arrays)
        assert sums.item() == arrays[0].sum(dtype=np.int64)


@cases
def test_small_arrays_are_copied_at_once(options: dict[str, Any]) -> None:
    env = make(**options)
    env.reset(seed=2)
    copied: list[int] = []

    def copy(tensor: Any) -> Any:
        copied.append(tensor.nbytes)
        return tensor.clone()

    for _ in range(8):
        arrays = leaves(env.step(np.zeros(env.action_space.shape, np.int64)))
        copied.clear()
        same(tuple(_copy_at_once(arrays, copy)), tuple(arrays))
        assert len(copied) <= 2 + sum(array.base is None for array in arrays)
    env.close()


@gpu
def test_gpu_streams_of_the_user() -> None:
    """The stream that calls waits for the copies, and its memory is not used again too early."""
    env, other = make(), make()
    adapter = other.torch(device="cuda")
    streams = [torch.cuda.Stream() for _ in range(2)]
    ones = torch.ones(2000, 2000, device="cuda")
    torch.cuda.synchronize()
    same(adapter.reset(seed=3), env.reset(seed=3))
    sums, expected = [], []
    for step in range(100):
        actions = actions_of(env, step)
        with torch.cuda.stream(streams[step % 2]):
            observations = adapter.step(actions)[0]
            busy = late_zero(ones)
            sums.append(observations.to(torch.int64).sum() + busy)
        del observations
        expected.append(env.step(actions.numpy())[0].sum(dtype=np.int64))
    torch.cuda.synchronize()
    assert [it.item() for it in sums] == expected


@gpu
@pytest.mark.slow
def test_gpu_graphs_leave_the_calls_out() -> None:
    """`reduce-overhead` records CUDA graphs of what lies between calls, not of the calls."""
    torch._dynamo.reset()
    compiled, eager = (make().torch(device="cuda") for _ in range(2))
    function = torch.compile(rollout, mode="reduce-overhead")
    actions = actions_of(eager.env, 0, "cuda")
    for _ in range(4):  # it records in the second run
        ours, theirs = function(compiled, actions, 4), rollout(eager, actions, 4)
        assert torch.equal(ours[0], theirs[0])
        assert torch.allclose(ours[1], theirs[1])
        assert torch.equal(ours[2], theirs[2])
