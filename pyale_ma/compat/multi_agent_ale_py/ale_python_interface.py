"""``multi_agent_ale_py.ale_python_interface``."""

from pyale_ma.multi.multi_interface import ALEInterface

__all__ = ["ALEInterface"]
