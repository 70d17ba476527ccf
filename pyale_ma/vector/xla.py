"""The adapter for JAX: `reset` and `step` of a vector environment as functions that JAX compiles.

XLA calls back into the environment, through ``jax.experimental.io_callback``.  So results equal
those of the environment's own methods, on every device that JAX has.  Calls are made in the order
of the program, be it compiled or not: callbacks are ordered effects, and each call also depends on
the handle that the one before returned.

In a compiled loop a callback costs about 60 microseconds, and a copy of the results.  A native
custom call would spare most of that, but depend on a binary interface that XLA promises to keep for
a year only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from pyale_ma.vector.checks import seeds_of

if TYPE_CHECKING:
    from pyale_ma.vector.env import AtariVectorEnv
    from pyale_ma.vector.stepper import Stepper

Handle: TypeAlias = jax.Array
Reset: TypeAlias = Callable[..., tuple[Handle, tuple[jax.Array, dict[str, Any]]]]
Step: TypeAlias = Callable[..., tuple[Handle, tuple[Any, ...]]]

# Shapes and dtypes of a tree of arrays.
_spec = functools.partial(jax.eval_shape, lambda tree: tree)


def make_functions(env: AtariVectorEnv, stepper: Stepper) -> tuple[Handle, Reset, Step]:
    """Return the functions of `AtariVectorEnv.xla`."""
    adapter = _Adapter(env, stepper)

    # Compiled once, for those who call them outside of jax.jit.
    call_reset, call_step = jax.jit(adapter.call_reset), jax.jit(adapter.call_step)

    def reset(
        handle: Handle, seed: Any = None, reset_mask: Any = None
    ) -> tuple[Handle, tuple[jax.Array, dict[str, Any]]]:
        """Start episodes.

        Args:
            handle: What the call before returned.
            seed: None, an int or one int for each environment that is reset, as in
                `AtariVectorEnv.reset`.
            reset_mask: None for all, or a bool array ``(num_envs,)`` of those to be reset.

        Returns:
            A handle, and observations and infos of a batch.
        """
        env._native.check_open()
        mask = None if reset_mask is None else adapter.check_mask(reset_mask)
        seed = None if seed is None else adapter.check_seed(seed, reset_mask)
        called: tuple[Handle, tuple[jax.Array, dict[str, Any]]] = call_reset(
            adapter.check_handle(handle), seed, mask
        )
        return called

    def step(handle: Handle, actions: Any) -> tuple[Handle, tuple[Any, ...]]:
        """Play one action of each environment of the batch.

        Args:
            handle: What the call before returned.
            actions: As in `AtariVectorEnv.step`, as a JAX array or what makes one.

        Returns:
            A handle, and observations, rewards, terminations, truncations and infos.
        """
        env._native.check_open()
        called: tuple[Handle, tuple[Any, ...]] = call_step(
            adapter.check_handle(handle), adapter.check_actions(actions)
        )
        return called

    return jnp.asarray(adapter.handle), reset, step


class _Adapter:
    """The host's side: what XLA calls, and what it is told of the results.

    Results always have the same entries: those of the infos that the environment leaves out where
    there is nothing to tell are 0 then.
    """

    def __init__(self, env: AtariVectorEnv, stepper: Stepper) -> None:
        self._env = env
        self._stepper = stepper
        # Tells environments apart; while anybody can make a call the adapter keeps `env` alive.
        self.handle = np.array([id(env)], np.uint64).view(np.uint8)
        usual, self._absent = stepper.examples()
        *arrays, infos = usual
        self._reset_spec = _spec((self.handle, (arrays[0], infos)))
        self._step_spec = _spec((self.handle, (*arrays, {**infos, **self._absent})))

    # ---- Calls and what they do ------------------------------------------------------------------

    def call_reset(self, handle: Handle, seed: Any, mask: Any) -> Any:
        return io_callback(self._reset, self._reset_spec, handle, seed, mask, ordered=True)

    def call_step(self, handle: Handle, actions: jax.Array) -> Any:
        return io_callback(self._step, self._step_spec, handle, actions, ordered=True)

    def _reset(self, handle: Handle, seed: Any, mask: Any) -> Any:
        self._check_own(handle)
        if seed is not None:
            seed = np.asarray(seed) if np.ndim(seed) else int(seed)
        options = None if mask is None else {"reset_mask": np.asarray(mask)}
        return self.handle, self._env.reset(seed=seed, options=options)

    def _step(self, handle: Handle, actions: jax.Array) -> Any:
        self._check_own(handle)
        *arrays, infos = self._env.step(np.asarray(actions))
        return self.handle, (*arrays, {**self._absent, **infos})

    def _check_own(self, handle: Handle) -> None:
        if not np.array_equal(handle, self.handle):
            raise ValueError("the handle is not one of this vector environment's")

    # ---- Called while tracing: what can be known then is refused then ----------------------------

    def check_handle(self, handle: Any) -> jax.Array:
        shape, dtype = getattr(handle, "shape", None), getattr(handle, "dtype", None)
        if (shape, dtype) != (self.handle.shape, self.handle.dtype):
            raise TypeError("the first argument must be a handle: what the call before returned")
        return jnp.asarray(handle)

    def check_actions(self, actions: Any) -> jax.Array:
        array = jnp.asarray(actions)
        shape = self._stepper.actions_shape
        if self._env.continuous:
            if not jnp.issubdtype(array.dtype, jnp.floating):
                raise TypeError(f"continuous actions must be float32, not {array.dtype}")
            array = array.astype(np.float32)
        elif not jnp.issubdtype(array.dtype, jnp.integer):
            raise TypeError(f"actions must be whole numbers, not {array.dtype}")
        elif isinstance(actions, (list, tuple)) and any(
            jnp.result_type(one) == np.bool_ for one in jax.tree.leaves(actions)
        ):  # JAX converts those among numbers
            raise TypeError("actions must be whole numbers, not bool")
        if array.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {array.shape}")
        return array

    def check_mask(self, mask: Any) -> jax.Array:
        if getattr(mask, "dtype", None) != np.bool_:
            raise TypeError(f"`reset_mask` must be a boolean array, got {type(mask)}")
        if mask.shape != (self._env.num_envs,):
            raise ValueError(
                f"`reset_mask` must have shape ({self._env.num_envs},), got {mask.shape}"
            )
        return jnp.asarray(mask)

    def check_seed(self, seed: Any, mask: Any) -> jax.Array:
        """The seed in 32 bits, signed or not: JAX may have no more."""
        count = self._env.num_envs
        if isinstance(mask, jax.core.Tracer):
            count = min(count, np.size(seed))  # known when it is called
        elif mask is not None:
            count = int(np.sum(mask))
        if not isinstance(seed, jax.core.Tracer):
            array = np.asarray(seed)
            seeds_of(array if array.ndim else array.item(), range(count), self._env.num_envs)
            return jnp.asarray(array, np.int32 if np.min(array, initial=0) < 0 else np.uint32)
        if not jnp.issubdtype(seed.dtype, jnp.integer):
            raise TypeError(f"seeds must be whole numbers, not {seed.dtype}")
        if seed.shape not in ((), (count,)):
            raise ValueError(
                "`seed` must have one entry per sub-environment being reset, "
                f"expected shape ({count},), got {seed.shape}"
            )
        return seed
