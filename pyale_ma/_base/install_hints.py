"""Install commands that messages recommend.

Optional packages are named themselves, not as extras of this package.  So a command works wherever
this package came from: a clone, a wheel or an index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gymnasium.error import DependencyNotInstalled

OPTIONAL = {
    "roms": "ale-py",
    "human": "pygame-ce",
    "film": "imageio-ffmpeg",
    "torch": "torch",
    "jax": "jax",
    "ray": "ray",
    "nash": "scipy",
}
"""The package that each extra of pyproject.toml installs."""

REINSTALL = "pip install --force-reinstall --no-deps . (in a clone of pyale_ma), or FILE.whl"
PUFFERLIB = "pip install --no-deps pufferlib gym gym-notices psutil"
"""PufferLib demands older versions of NumPy and Gymnasium, but runs with those of this package."""

PLAYER = "install a wheel; or, in a clone of pyale_ma: pip install --config-settings=player=true ."
"""For the page of pyale-ma web, which needs a compiler of its own."""

GET_ROMS = f"pip install {OPTIONAL['roms']}, or use your own: pyale-ma roms import PATH"


def install(extra: str) -> str:
    """The command that installs what an extra installs."""
    return f"pip install {OPTIONAL[extra]}"


def missing(
    problem: ModuleNotFoundError, command: str, needed_by: str = ""
) -> DependencyNotInstalled:
    """The error to raise where an optional package is not installed.

    Args:
        problem: What its import raised.
        command: What installs it.
        needed_by: What needs it; "": the module that is being imported.
    """
    from gymnasium import error  # not before: `pyale-ma doctor` runs where it is not installed

    needs = f", which {needed_by} needs" if needed_by else ""
    return error.DependencyNotInstalled(f"{problem.name} is missing{needs}; run `{command}`")
