"""Registers the environments with Gymnasium and with PettingZoo.

Every single-player environment has two ids: one in the namespace ``pyale_ma``, which is always
ours, and the one by which the field knows it (``ALE/Pong-v5``, ``Pong-v4``), which is ours unless
another package has it already.  ale-py takes these ids for itself when it is imported later:
`ImportWatch` says so, or prevents it where `register_ale_ids` was called.

PettingZoo has a registry since version 1.27.  Importing PettingZoo takes time, so that our
environments are registered when the program imports it, by `ImportWatch`.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import gymnasium
from gymnasium.envs.registration import EnvSpec

from pyale_ma import _native
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.games.rom_files import SHIPPED, env_name

__all__ = ["register_ale_ids", "register_envs", "register_pettingzoo_ids"]

ENTRY_POINT = "pyale_ma.single.env:AtariEnv"
VECTOR_ENTRY_POINT = "pyale_ma.vector:AtariVectorEnv"
# The same classes after `install_as_ale_py`: programs compare these texts, and keep them in files.
ALE_PY_ENTRY_POINT = "ale_py.env:AtariEnv"
ALE_PY_VECTOR_ENTRY_POINT = "ale_py.vector_env:AtariVectorEnv"
ANY_GAME_ID = "pyale_ma/Atari-v5"
VERSUS_ID = "pyale_ma/Versus-v0"
MAX_NUM_FRAMES_PER_EPISODE = 108_000  # half an hour of play
_KEEP_VARIABLE = "PYALE_MA_ALE_IDS"  # "1": the field's ids are ours whatever is imported
_PETTINGZOO_VARIABLE = "PYALE_MA_PETTINGZOO_IDS"  # "1": so are PettingZoo's ``atari/`` ids

# The games of the older families v0 and v4.
LEGACY_GAMES = tuple(
    """
    adventure air_raid alien amidar assault asterix asteroids atlantis bank_heist battle_zone
    beam_rider berzerk bowling boxing breakout carnival centipede chopper_command crazy_climber
    defender demon_attack double_dunk elevator_action enduro fishing_derby freeway frostbite gopher
    gravitar hero ice_hockey jamesbond journey_escape kangaroo krull kung_fu_master
    montezuma_revenge ms_pacman name_this_game phoenix pitfall pong pooyan private_eye qbert
    riverraid road_runner robotank seaquest skiing solaris space_invaders star_gunner tennis
    time_pilot tutankham up_n_down venture video_pinball wizard_of_wor yars_revenge zaxxon
    """.split()
)


def _specs() -> Iterator[EnvSpec]:
    """All environments under the field's ids."""
    for name, game in _native.games().items():
        if _native.Rules.SOLO in game.rules and name not in SHIPPED:
            yield _spec(f"ALE/{env_name(name)}-v5", name, 4, 0.25, vector=True)
    for name in LEGACY_GAMES:
        for suffix, frameskip in (("", (2, 5)), ("NoFrameskip", 1)):
            for version, probability in (("v0", 0.25), ("v4", 0.0)):
                id_ = f"{env_name(name)}{suffix}-{version}"
                yield _spec(id_, name, frameskip, probability)


def _is_ale_py() -> bool:
    return hasattr(sys.modules.get("ale_py"), "_is_pyale_ma")


def _own_spec(spec: EnvSpec) -> EnvSpec:
    """The environment under an id in the namespace ``pyale_ma``."""
    arguments = spec.kwargs
    return _spec(
        f"pyale_ma/{spec.id.removeprefix('ALE/')}",
        arguments["game"],
        arguments["frameskip"],
        arguments["repeat_action_probability"],
        vector=spec.vector_entry_point is not None,
    )


def _own_specs(specs: list[EnvSpec]) -> list[EnvSpec]:
    """Return all environments under ids in the namespace ``pyale_ma``."""
    shipped = [
        _spec(f"pyale_ma/{env_name(name)}-v0", name, 4, 0.25, vector=True) for name in SHIPPED
    ]
    return [*map(_own_spec, specs), *shipped]


def _stand_in(spec: EnvSpec) -> None:
    """Give a spec the entry points of ale-py."""
    spec.entry_point = ALE_PY_ENTRY_POINT
    if spec.vector_entry_point is not None:
        spec.vector_entry_point = ALE_PY_VECTOR_ENTRY_POINT


def _spec(
    id_: str,
    game: str,
    frameskip: int | tuple[int, int],
    probability: float,
    *,
    vector: bool = False,
) -> EnvSpec:
    return EnvSpec(
        id_,
        entry_point=ENTRY_POINT,
        vector_entry_point=VECTOR_ENTRY_POINT if vector else None,
        kwargs={
            "game": game,
            "repeat_action_probability": probability,
            "full_action_space": False,
            "frameskip": frameskip,
            "max_num_frames_per_episode": MAX_NUM_FRAMES_PER_EPISODE,
        },
    )


def register_envs() -> None:
    """Register all ids in the namespace ``pyale_ma``, and the field's ids that are still free.

    Those that are not, too, where ``PYALE_MA_ALE_IDS`` is 1.
    """
    _register(replace=_keep_ale_ids())
    if not any(type(finder).__name__ == ImportWatch.__name__ for finder in sys.meta_path):
        sys.meta_path.insert(0, ImportWatch())
    if "pettingzoo" in sys.modules:
        _register_with_pettingzoo(sys.modules["pettingzoo"])


def register_ale_ids() -> None:
    """Take over ale-py's ids (``ALE/Pong-v5``, ``Pong-v4``) from any other package, and keep them.

    They stay ours if ale-py is imported later, and also in processes that this one starts, because
    this sets the environment variable ``PYALE_MA_ALE_IDS=1``.

    Examples:
        ```python
        import gymnasium
        import pyale_ma

        pyale_ma.register_ale_ids()
        print(gymnasium.spec("ALE/Pong-v5").entry_point)
        ```
    """
    os.environ[_KEEP_VARIABLE] = "1"
    _register(replace=True)


def register_pettingzoo_ids() -> None:
    """Take over PettingZoo's ids of Atari environments (``atari/pong-v3``), and keep them.

    ``pettingzoo.make`` then makes ours of these ids, also in processes that this one starts and
    that import pyale_ma, because this sets the environment variable ``PYALE_MA_PETTINGZOO_IDS=1``.
    The ids in the namespace ``pyale_ma`` need no call.

    Examples:
        ```python
        import gymnasium
        import pyale_ma

        pyale_ma.register_pettingzoo_ids()
        print("atari/pong-v3" in gymnasium.registry)
        ```

    Raises:
        ImportError: PettingZoo is older than 1.27 and has no registry.
    """
    pettingzoo = importlib.import_module("pettingzoo")
    if not hasattr(pettingzoo, "register"):
        raise ImportError(
            f"register_pettingzoo_ids needs PettingZoo 1.27 or later, which has a registry; this "
            f"is {pettingzoo.__version__}: pip install -U pettingzoo"
        )
    os.environ[_PETTINGZOO_VARIABLE] = "1"
    _register_with_pettingzoo(pettingzoo)


def _register_with_pettingzoo(pettingzoo: ModuleType) -> None:
    """Register the environments for several agents, if this PettingZoo has a registry."""
    if not hasattr(pettingzoo, "register"):
        return
    kinds = (
        ("aec", "env", pettingzoo.aec_registry),
        ("parallel", "parallel_env", pettingzoo.parallel_registry),
    )
    takes_all = os.environ.get(_PETTINGZOO_VARIABLE) == "1"
    for name in ENVIRONMENTS:
        stem, _, version = name.rpartition("_v")
        # PettingZoo's environments have later versions; those that only we have begin at 0.
        namespaces = ("pyale_ma", "atari") if takes_all and version != "0" else ("pyale_ma",)
        for namespace in namespaces:
            id_ = f"{namespace}/{stem}-v{version}"
            for kind, function, registry in kinds:
                registry.pop(id_, None)  # or PettingZoo warns of it
                pettingzoo.register(kind, id_, entry_point=f"pyale_ma.multi.{name}:{function}")


def _keep_ale_ids() -> bool:
    return os.environ.get(_KEEP_VARIABLE) == "1"


def _register(*, replace: bool) -> None:
    # gymnasium.register compares each new id with all known ones; ours are known to be well formed.
    specs = [*_specs()]
    own_specs = _own_specs(specs)
    for spec in specs:
        if _is_ale_py():
            _stand_in(spec)
        if replace or spec.id not in gymnasium.registry:
            gymnasium.registry[spec.id] = spec
    for own in own_specs:
        gymnasium.registry.setdefault(own.id, own)
    # Any game, by name or by card: gymnasium.make("pyale_ma/Atari-v5", game=...).
    if ANY_GAME_ID not in gymnasium.registry:
        any_game = _spec(ANY_GAME_ID, "", 4, 0.25, vector=True)
        del any_game.kwargs["game"]
        gymnasium.registry[ANY_GAME_ID] = any_game
    # Any game for several players, against opponents.
    versus = EnvSpec(
        VERSUS_ID,
        entry_point="pyale_ma.opponents:VersusEnv",
        vector_entry_point="pyale_ma.opponents:VersusVectorEnv",
    )
    gymnasium.registry.setdefault(VERSUS_ID, versus)
    # Several players, only in vectors: gymnasium.make_vec("pyale_ma/pong_v3", num_envs=64).
    for name in ENVIRONMENTS:
        several = EnvSpec(
            f"pyale_ma/{name}", vector_entry_point=VECTOR_ENTRY_POINT, kwargs={"game": name}
        )
        gymnasium.registry.setdefault(several.id, several)


class ImportWatch:  # its abstract base would import `importlib.resources`
    """Wraps the imports of packages with registries: `_WATCHED` says with what."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the other finders' spec; for a watched package with more around its code."""
        if fullname not in _WATCHED:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    wrapped = functools.partial(_WATCHED[fullname], spec.loader.exec_module)
                    spec.loader.exec_module = wrapped  # type: ignore[method-assign]
                return spec
        return None


def _import_ale_py(execute: Callable[[ModuleType], None], module: ModuleType) -> None:
    """Let ale-py register its environments, and say whose the ids are then."""
    registry = gymnasium.registry
    ours = {spec.id: registry[spec.id] for spec in _specs() if _is_ours(spec.id)}
    for id_ in ours:
        del registry[id_]  # or Gymnasium warns of each
    try:
        execute(module)
    finally:
        theirs = set(ours).intersection(registry)
        if _keep_ale_ids():
            registry.update(ours)
        else:
            for id_, spec in ours.items():
                registry.setdefault(id_, spec)
    if theirs and not _keep_ale_ids():
        warnings.warn(
            f"ale-py was imported after pyale_ma and has taken {len(theirs)} ids, such as "
            f"{min(theirs)}, for its own environments. To have and keep pyale_ma's: "
            "pyale_ma.register_ale_ids()",
            stacklevel=2,
        )


def _import_pettingzoo(execute: Callable[[ModuleType], None], module: ModuleType) -> None:
    """Let PettingZoo register its environments, and then register ours."""
    execute(module)
    _register_with_pettingzoo(module)


_WATCHED = {"ale_py": _import_ale_py, "pettingzoo": _import_pettingzoo}


def _is_ours(id_: str) -> bool:
    if id_ not in gymnasium.registry:
        return False
    entry_point = gymnasium.registry[id_].entry_point
    return entry_point == ENTRY_POINT or (_is_ale_py() and entry_point == ALE_PY_ENTRY_POINT)
