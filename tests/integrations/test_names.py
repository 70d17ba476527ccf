"""All public names of EnvPool's Atari part and of TorchWM's vectors are here, or have a reason."""

from __future__ import annotations

import pytest

from same_names import compare, names

ENVPOOL = """
envpool envpool.make("Pong-v5","gymnasium") envpool.make("Pong-v5","dm")
envpool.make_spec("Pong-v5") envpool.make_spec("Pong-v5").config
""".split()
ENVPOOL_DIFFERENCES = {
    r"envpool\.(register|preload_windows_gl_dlls)": "for EnvPool's other families of environments",
    r"envpool\.(EnvPool|DMEnvPool)\b.*": "classes for annotations; pools are made by `make`",
    r"envpool\.(GymnasiumEnvPool|EnvSpec)(\(|\.).*": "what is made has these; `make` makes it",
    r"envpool\.make_spec\(.*\)\.(gen_config|.*_spec)": "descriptions of its own queues",
}


def test_envpool() -> None:
    pytest.importorskip("envpool")
    theirs = names("import envpool", ENVPOOL)
    ours = names("from pyale_ma import envpool", ENVPOOL)
    public = {name: ways for name, ways in theirs.items() if "._" not in name}
    assert len(public) > 80
    compare(ours, public, ENVPOOL_DIFFERENCES)
