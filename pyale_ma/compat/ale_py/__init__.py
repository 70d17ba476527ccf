"""The package that stands in ale-py's place after `pyale_ma.install_as_ale_py`."""

from pathlib import Path as _Path

from pyale_ma import single as _single

from . import _ale_py, env, registration, roms, vector_env  # noqa: F401 (`__all__` has them)

__version__ = _ale_py.__version__

packagedir = str(_Path(__file__).absolute().parent)
"""The folder of this package; ``roms`` in it has the ROM files."""

__all__ = [name for name in _single.__all__ if name != "__version__"]
globals().update({name: getattr(_single, name) for name in __all__ if name not in globals()})

_is_pyale_ma = True  # for `stand_ins`
