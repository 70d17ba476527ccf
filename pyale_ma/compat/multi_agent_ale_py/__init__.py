"""The package that stands in multi-agent-ale-py's place; the ROM files lie beside this module."""

from pyale_ma.multi import ALEInterface

from . import ale_python_interface

__all__ = ["ALEInterface", "ale_python_interface"]

_is_pyale_ma = True  # for `stand_ins`
