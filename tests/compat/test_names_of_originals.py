"""All public names of ale-py are here, or in a list that says why not.

They are compared as they are imported: modules, classes, members, arguments with order and
defaults, constants and enumerations.  A difference that is gone must leave its list, too.
Others are compared in integrations/test_names.py.
"""

from __future__ import annotations

import pytest

from same_names import compare, names

ALE_PY = """
ale_py ale_py._ale_py ale_py.env ale_py.registration ale_py.roms ale_py.vector_env
ale_py.AtariEnv("pong") ale_py.AtariVectorEnv("pong",2) ale_py.ALEState() ale_py.ALEInterface()
""".split()
_NATIVE = "the native object of its vector and its own functions for XLA; ours is in libale"
ALE_PY_DIFFERENCES = {
    r"ale_py(\._ale_py)?\.ALEVectorInterface.*": _NATIVE,
    r"ale_py\._ale_py\.(VectorXLA|AutoresetMode).*": _NATIVE,
    r"ale_py(\._ale_py)?\.ALEState\(arg0, arg1\)": "it serves ale-py's own unpickling",
}


def test_ale_py() -> None:
    pytest.importorskip("ale_py")
    theirs = names("import ale_py, ale_py._ale_py", ALE_PY)
    install = "import pyale_ma; pyale_ma.install_as_ale_py()"
    ours = names(f"{install}; import ale_py", ALE_PY)
    assert len(theirs) > 400
    compare(ours, theirs, ALE_PY_DIFFERENCES)
