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
    r"envpool\.make_spec\(.*\)\.gymnasium_.*": "here observation_space and action_space",
}


def test_envpool() -> None:
    pytest.importorskip("envpool")
    theirs = names("import envpool", ENVPOOL)
    ours = names("from pyale_ma import envpool", ENVPOOL)
    public = {name: ways for name, ways in theirs.items() if "._" not in name}
    assert len(public) > 80
    compare(ours, public, ENVPOOL_DIFFERENCES)


TORCHWM = ["make_atari_vector_env", "TorchVectorizedEnv", "TorchVectorizedEnv(Env)"]
TORCHWM_DIFFERENCES = {
    r"TorchVectorizedEnv\(args, kwargs\)": "its base class says which; test_torchwm.py calls both",
    r"TorchVectorizedEnv\(Env\)\.(command_queues|result_queues|workers)": "its processes",
}
ENVIRONMENT = """
class Env:
    observation_space = action_space = None
    def reset(self): pass
    def step(self, action): pass
"""


def test_torchwm() -> None:
    pytest.importorskip("world_models.envs.vector_env", exc_type=ImportError)
    package = "world_models.envs"
    theirs = names(
        f"from {package} import make_atari_vector_env\n"
        f"from {package}.vector_env import TorchVectorizedEnv\n{ENVIRONMENT}",
        TORCHWM,
    )
    ours = names(
        "from pyale_ma.compat.torchwm import make_atari_vector_env, TorchVectorizedEnv\n"
        f"{ENVIRONMENT}",
        TORCHWM,
    )
    public = {name: ways for name, ways in theirs.items() if "._" not in name}
    compare(ours, public, TORCHWM_DIFFERENCES)
