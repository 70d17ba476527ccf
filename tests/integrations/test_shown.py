"""Tests of the `repr` of adapters: it names the vector or the environment behind them."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize(
    ("library", "module", "make", "more"),
    [
        ("stable_baselines3", "sb3", "make_vec_env", ""),
        ("torchrl", "torchrl", "make_env", ", device='cpu'"),
        ("pufferlib", "puffer", "make_env", ""),
    ],
)
def test_adapters_say_what_they_wrap(library: str, module: str, make: str, more: str) -> None:
    pytest.importorskip(library)
    adapter = importlib.import_module(f"pyale_ma.integrations.{module}")
    envs = getattr(adapter, "make_env" if hasattr(adapter, "make_env") else "make_vec_env")(
        "quartet", 2
    )
    assert repr(envs) == f"{type(envs).__name__}({envs.envs!r}{more})"
    envs.close()


def test_adapters_to_dm_env_and_rllib_say_what_they_wrap() -> None:
    pytest.importorskip("dm_env")
    from pyale_ma.integrations import dm

    env = dm.make_env("pyale_ma/Quartet-v0")
    assert repr(env) == f"DMEnv({env.env!r})"
    pytest.importorskip("ray.rllib")
    from pyale_ma.integrations import rllib

    vector = rllib.AtariVector({"game": "quartet"})
    assert repr(vector) == f"AtariVector({vector.envs!r})"
    vector.close()
