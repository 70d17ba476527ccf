"""The adapter for PyTorch: a vector environment with tensors in place of arrays.

Calls are registered operators, so `torch.compile` takes them into its graph whole.  What it must
not do is call them in another order, once instead of twice, or not at all because nobody needs the
result; so each operator writes to a tensor, the handle, that the next one reads.

On the CPU tensors share the memory of the arrays.  For a GPU the library writes to page-locked
memory, from which results are copied on a stream of their own, the small arrays all at once: they
are there for whatever the caller's stream does next, and nobody waits for them before.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from pyale_ma.vector.env import AtariVectorEnv
    from pyale_ma.vector.infos import Array, Infos
    from pyale_ma.vector.stepper import Stepper

TensorResults: TypeAlias = tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]
Layout: TypeAlias = list[tuple[str, ...]]  # where each entry of nested infos is
Kind: TypeAlias = tuple[tuple[int, ...], torch.dtype]

_adapters: weakref.WeakValueDictionary[int, TorchAdapter] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


class TorchAdapter:
    """The `reset`, `step`, `send` and `recv` of `AtariVectorEnv.torch`, with tensors.

    Results are those of the environment's own methods, on `device`.  Infos always have all
    their entries; an entry that a method leaves out is a tensor of zeros, the same every time
    until somebody changes it.
    All else is the environment's: spaces, `num_envs`, `render`, `save_state` and so on.

    Attributes:
        env: The vector environment.
        device: Where results are put.
    """

    def __init__(self, env: AtariVectorEnv, stepper: Stepper, device: torch.device) -> None:
        self.env = env
        self.device = device
        self._keeps = stepper.results.copies  # arrays stay as they are after the next call
        self._copies = _Copies(device) if device.type == "cuda" else None
        stepper.results.share_nothing()  # tensors are never read-only
        if self._copies:
            stepper.results.allocate_with(_page_locked)
        usual, absent = stepper.examples()
        *arrays, infos = usual
        self._reset_layout = _layout(infos)
        self._step_layout = _layout({**infos, **absent})
        self._rare = _layout(absent)
        self._zeros = {
            place: _zeros(_kind(array), device)
            for place, array in zip(self._rare, _leaves(absent, self._rare), strict=True)
        }
        # Operators, for compiled code.
        kinds = tuple(map(_kind, (*arrays, *_leaves({**infos, **absent}, self._step_layout))))
        reset_kinds = tuple(map(_kind, (arrays[0], *_leaves(infos, self._reset_layout))))
        taken = stepper.actions_shape
        self._reset_call = _operator("reset", device, taken, reset_kinds)
        self._step_call = _operator("step", device, taken, kinds)
        self._send_call = _operator("send", device, taken, ())
        self._recv_call = _operator("recv", device, taken, kinds)
        number = next(_numbers)
        _adapters[number] = self
        self._handle = torch.tensor([number, 0])  # 0: the calls that were made

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the environment."""
        if name.startswith("_") or name == "env":  # there is none yet while this is made
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.env, name)

    def __repr__(self) -> str:
        return f"TorchAdapter({self.env!r}, device={str(self.device)!r})"

    def reset(
        self, *, seed: int | Tensor | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Tensor, dict[str, Any]]:
        """Start episodes: `AtariVectorEnv.reset`.

        Args:
            seed: None, an int, or a tensor of one int for each environment that is reset.
            options: As there; ``"reset_mask"`` is a bool tensor ``(num_envs,)``.  In compiled code
                the only option.

        Returns:
            Observations and infos.
        """
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if torch.compiler.is_compiling():
            if options:
                raise ValueError(f"in compiled code reset has no options {list(options)}")
            # What is too large for a tensor is refused as other seeds that are too large.
            seeds = torch.tensor(min(seed, 2**63 - 1)) if isinstance(seed, int) else seed
            tensors = self._reset_call(self._handle, seeds, mask)
        else:
            tensors = self._reset(seed, mask, options)
        return tensors[0], _unflatten(self._reset_layout, tensors[1:])

    def step(self, actions: Tensor) -> TensorResults:
        """Play one action of each environment of the batch: `AtariVectorEnv.step`.

        Args:
            actions: On any device.

        Returns:
            Observations, rewards, terminations, truncations and infos.
        """
        actions = self._taken(actions)
        if torch.compiler.is_compiling():
            tensors = self._step_call(self._handle, actions)
        else:
            tensors = self._step(actions)
        return self._results(tensors)

    def send(self, actions: Tensor) -> None:
        """Start to play one action of each environment of the batch received last."""
        actions = self._taken(actions)
        if torch.compiler.is_compiling():
            self._send_call(self._handle, actions)
        else:
            self._send(actions)

    def recv(self) -> TensorResults:
        """Wait for the next batch of results: what `step` returns."""
        compiling = torch.compiler.is_compiling()
        return self._results(self._recv_call(self._handle) if compiling else self._recv())

    def close(self) -> None:
        """Close the vector environment."""
        self.env.close()

    def _taken(self, actions: Any) -> Tensor:
        actions = torch.as_tensor(actions).detach()
        floats = self.env.continuous and actions.is_floating_point()
        return actions.to(torch.float32) if floats else actions

    def _results(self, tensors: Sequence[Tensor]) -> TensorResults:
        infos = _unflatten(self._step_layout, tensors[4:])
        return tensors[0], tensors[1], tensors[2], tensors[3], infos

    # ---- What the operators do -------------------------------------------------------------------
    # `owned`: compiled code may write to what it gets, and use it after the next call.

    def _reset(self, seed: Any, mask: Any, options: Infos, owned: bool = False) -> list[Tensor]:
        self._before()
        if isinstance(seed, Tensor):
            seed = seed.cpu().numpy() if seed.ndim else int(seed)
        if isinstance(mask, Tensor):
            mask = mask.cpu().numpy()
        if mask is not None:
            options = {**options, "reset_mask": mask}
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._tensors([observations, *_leaves(infos, self._reset_layout)], owned)

    def _step(self, actions: Tensor, owned: bool = False) -> list[Tensor]:
        self._before()
        return self._flatten(self.env.step(actions.cpu().numpy()), owned)

    def _send(self, actions: Tensor) -> None:
        self._before()
        self.env.send(actions.cpu().numpy())

    def _recv(self, owned: bool = False) -> list[Tensor]:
        return self._flatten(self.env.recv(), owned)

    def _flatten(self, results: tuple[Any, ...], owned: bool) -> list[Tensor]:
        *arrays, infos = results
        present = [place for place in self._step_layout if place[0] in infos]
        tensors = self._tensors([*arrays, *_leaves(infos, present)], owned)
        if len(present) == len(self._step_layout):
            return tensors
        arriving = dict(zip(present, tensors[len(arrays) :], strict=True))
        for place, zeros in self._zeros.items():
            if place in arriving:
                continue
            if zeros._version:  # a caller has changed it in place
                zeros = self._zeros[place] = _zeros((zeros.shape, zeros.dtype), self.device)
            arriving[place] = zeros.clone() if owned else zeros
        return [*tensors[: len(arrays)], *(arriving[place] for place in self._step_layout)]

    def _before(self) -> None:
        if self._copies and not self._keeps:
            self._copies.finish()  # the library is about to write to the same memory again

    def _tensors(self, arrays: list[Array], owned: bool) -> list[Tensor]:
        if self._copies:
            return self._copies.start(arrays)
        tensors = [torch.from_numpy(array) for array in arrays]
        if self.device.type != "cpu":
            return [tensor.to(self.device) for tensor in tensors]
        if owned and not self._keeps:
            return [tensor.clone() for tensor in tensors]
        return tensors


class _Copies:
    """Copies to a GPU that are under way, and the memory that they read."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._stream = torch.cuda.Stream(device)
        self._pending: deque[tuple[torch.cuda.Event, list[Array]]] = deque()

    def start(self, arrays: list[Array]) -> list[Tensor]:
        while self._pending and self._pending[0][0].query():
            self._pending.popleft()
        with torch.cuda.stream(self._stream):
            tensors = _copy_at_once(arrays, lambda t: t.to(self._device, non_blocking=True))
            done = torch.cuda.Event()
            done.record(self._stream)
        self._pending.append((done, arrays))  # an array that is referred to is not written to
        user = torch.cuda.current_stream(self._device)
        user.wait_event(done)
        for tensor in tensors:
            tensor.record_stream(user)
        return tensors

    def finish(self) -> None:
        self._stream.synchronize()
        self._pending.clear()


_SMALL = 1 << 20  # bytes, of which copying all costs less than copying some one by one


def _copy_at_once(arrays: list[Array], copy: Callable[[Tensor], Tensor]) -> list[Tensor]:
    """Return tensors of arrays, with one copy for those that lie in one small piece of memory."""
    pieces: dict[int, Tensor] = {}
    tensors = []
    for array in arrays:
        memory, tensor = array.base, torch.from_numpy(array)
        if (
            type(memory) is not np.ndarray
            or memory.dtype != np.uint8
            or memory.ndim != 1
            or memory.nbytes > _SMALL
            or not array.flags.c_contiguous
        ):
            tensors.append(copy(tensor))
            continue
        piece = pieces.get(id(memory))
        if piece is None:
            piece = pieces[id(memory)] = copy(torch.from_numpy(memory))
        start = array.ctypes.data - memory.ctypes.data
        tensors.append(piece[start : start + array.nbytes].view(tensor.dtype).view(array.shape))
    return tensors


def _page_locked(shape: tuple[int, ...], dtype: Any) -> Array:
    kind = torch.from_numpy(np.empty(0, dtype)).dtype
    array: Array = torch.empty(shape, dtype=kind, pin_memory=True).numpy()
    return array


def _zeros(kind: Kind, device: torch.device) -> Tensor:
    """Return zeros that count their changes, as tensors of the inference mode do not."""
    shape, dtype = kind
    with torch.inference_mode(False):
        return torch.zeros(shape, dtype=dtype, device=device)


def _kind(array: Array) -> Kind:
    return array.shape, torch.from_numpy(array).dtype


# ---- Infos as lists, and back --------------------------------------------------------------------


def _layout(infos: Infos) -> Layout:
    """The names that lead to each array, from the outermost on."""
    places: Layout = []
    for name, value in infos.items():
        if isinstance(value, dict):
            places += [(name, *inner) for inner in _layout(value)]
        else:
            places.append((name,))
    return places


def _leaves(infos: Infos, layout: Layout) -> list[Array]:
    leaves = []
    for place in layout:
        value: Any = infos
        for name in place:
            value = value[name]
        leaves.append(value)
    return leaves


def _unflatten(layout: Layout, tensors: Sequence[Tensor]) -> dict[str, Any]:
    infos: dict[str, Any] = {}
    for place, tensor in zip(layout, tensors, strict=True):
        inner = infos
        for name in place[:-1]:
            inner = inner.setdefault(name, {})
        inner[place[-1]] = tensor
    return infos


# ---- Operators -----------------------------------------------------------------------------------

# What each takes after the handle, and does.
_CALLS: dict[str, tuple[str, Callable[..., list[Tensor] | None]]] = {
    "reset": (
        ", Tensor? seed, Tensor? mask",
        lambda adapter, seed, mask: adapter._reset(seed, mask, {}, owned=True),
    ),
    "step": (", Tensor actions", lambda adapter, actions: adapter._step(actions, owned=True)),
    "send": (", Tensor actions", lambda adapter, actions: adapter._send(actions)),
    "recv": ("", lambda adapter: adapter._recv(owned=True)),
}


@functools.cache
def _operator(
    call: str, device: torch.device, taken: tuple[int, ...], returned: tuple[Kind, ...]
) -> Any:
    """The operator of a call that takes actions of this shape and gives tensors of these kinds.

    Adapters alike share their operators, and so the code that was compiled for one of them.  The
    name says the kinds: compiled code may also be kept, on disk, for processes to come.
    """
    arguments, run = _CALLS[call]
    kinds = hashlib.sha256(repr((device, taken, returned)).encode()).hexdigest()[:16]

    def operate(handle: Tensor, *values: Any) -> tuple[Tensor, ...] | None:
        tensors = run(_adapter(handle), *values)
        return None if tensors is None else tuple(tensors)

    def fake(handle: Tensor, *values: Any) -> tuple[Tensor, ...] | None:
        if call in ("step", "send") and values[0].shape != taken:
            raise ValueError(f"actions must have shape {taken}, not {tuple(values[0].shape)}")
        if call == "send":
            return None
        return tuple(torch.empty(shape, dtype=dtype, device=device) for shape, dtype in returned)

    results = ", ".join(["Tensor"] * len(returned))
    # A CUDA graph would record what the call does on the device, and replay it without the call.
    unsafe = getattr(torch.Tag, "cudagraph_unsafe", None)
    name = f"vector_{call}_{kinds}"
    operator = torch.library.custom_op(
        f"pyale_ma::{name}",
        operate,
        mutates_args=("handle",),
        schema=f"(Tensor(a!) handle{arguments}) -> ({results})",
        **({"tags": [unsafe]} if unsafe else {}),
    )
    operator.register_fake(fake)
    return getattr(torch.ops.pyale_ma, name).default


def _adapter(handle: Tensor) -> TorchAdapter:
    number, calls = handle.tolist()
    handle[1] = calls + 1
    adapter = _adapters.get(number)
    if adapter is None:
        raise RuntimeError("the adapter that this handle belongs to no longer exists")
    return adapter
