"""``ale_py._ale_py``, ale-py's extension module: the console and its enumerations."""

from pyale_ma.single import SDL_SUPPORT, Action, ALEInterface, ALEState, LoggerMode

__version__ = "0.12.1"  # of ale-py, whose interface and numbers ours are
__all__ = ["SDL_SUPPORT", "ALEInterface", "ALEState", "Action", "LoggerMode"]

globals().update(Action.__members__)
globals().update(LoggerMode.__members__)
