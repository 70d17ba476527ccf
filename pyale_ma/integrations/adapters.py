"""The adapters: one table of what each needs, from which the adapters, tests and pages take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gymnasium import error
from gymnasium.vector import AutoresetMode

from pyale_ma._base import install_hints


@dataclass(frozen=True)
class Adapter:
    """Requirements of an adapter on the vectors that it accepts.

    Attributes:
        autoreset: The mode that the library understands.
        options: What vectors made for it get unless told otherwise.
        several_players: Whether it has a way to say what several players do.
        own_views: Whether it has a way to show each of them something else.
        keeps: Whether the library keeps observations, so that each must have memory of its own.
        seeding: The call that takes a seed, for a function that makes a vector and does not.
    """

    autoreset: AutoresetMode
    options: Mapping[str, Any] = field(default_factory=dict)
    several_players: bool = True
    own_views: bool = True
    keeps: bool = True
    seeding: str = ""


@dataclass(frozen=True)
class Library:
    """A library that a module of this package is for.

    Attributes:
        name: For messages.
        package: What is imported.
        install: The command that installs it.
        adapters: The module's classes that take vectors.
    """

    name: str
    package: str
    install: str
    adapters: Mapping[str, Adapter] = field(default_factory=dict)


LIBRARIES = {
    "sb3": Library(
        "SB3",
        "stable_baselines3",
        "pip install stable-baselines3",
        {
            "AtariVecEnv": Adapter(
                AutoresetMode.SAME_STEP, {"extra_infos": ["episode"]}, seeding="env.seed(seed)"
            )
        },
    ),
    "torchrl": Library(
        "TorchRL",
        "torchrl",
        "pip install torchrl",
        {
            "AtariEnv": Adapter(
                AutoresetMode.DISABLED, {"extra_infos": ["episode"]}, seeding="env.set_seed(seed)"
            )
        },
    ),
    "puffer": Library(
        "PufferLib",
        "pufferlib",
        install_hints.PUFFERLIB,
        {
            "AtariPufferEnv": Adapter(
                AutoresetMode.SAME_STEP,
                {"extra_infos": ["episode"], "copy": False},
                keeps=False,
            )
        },
    ),
    "rllib": Library(
        "RLlib",
        "ray",
        "pip install 'ray[rllib]'",
        {
            "AtariVector": Adapter(AutoresetMode.NEXT_STEP, several_players=False, own_views=False),
            "AtariMultiAgentEnv": Adapter(AutoresetMode.DISABLED, {"num_threads": 1}),
        },
    ),
    "benchmarl": Library("BenchMARL", "benchmarl", "pip install benchmarl"),
    "dm": Library("dm_env", "dm_env", "pip install dm-env"),
    "openspiel": Library("OpenSpiel", "pyspiel", "pip install open_spiel"),
}
"""By the module of this package."""

ADAPTERS = {
    f"{module}.{name}": adapter
    for module, library in LIBRARIES.items()
    for name, adapter in library.adapters.items()
}
"""By module and class."""


def missing_library(module: str, problem: ModuleNotFoundError) -> error.DependencyNotInstalled:
    """The error of a module whose library is not installed."""
    return install_hints.missing(problem, LIBRARIES[module].install)


def vector_options(adapter: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `AtariVectorEnv`: an adapter's own, and those that were given instead.

    Raises:
        TypeError: A seed is among them, and the library gives seeds by a call.
    """
    traits = ADAPTERS[adapter]
    if traits.seeding and "seed" in options:
        raise TypeError(
            f"seed is no argument here: call {traits.seeding}, which seeds the next reset"
        )
    return {"autoreset_mode": traits.autoreset, **traits.options, **options}
