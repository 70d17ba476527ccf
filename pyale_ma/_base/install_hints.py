"""Install commands that messages recommend.

Optional packages are named themselves, not as extras of this package.  So a command works wherever
this package came from: a clone, a wheel or an index.
"""

from __future__ import annotations

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
