"""Names of other packages, for programs that were written for them.

* `pyale_ma.compat.torchwm`: TorchWM's vectors of environments.
* The packages ``ale_py`` and ``multi_agent_ale_py`` in this folder are what `install_as_ale_py` and
  `install_as_multi_agent_ale_py` put in the originals' places.
"""
