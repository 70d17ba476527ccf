"""Registers the single-player environments with Gymnasium.

Every environment has two ids: one in the namespace ``pyale_ma``, which is always ours, and the one
by which the field knows it (``ALE/Pong-v5``, ``Pong-v4``), which is ours unless another package has
it already.
"""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium
from gymnasium.envs.registration import EnvSpec

from pyale_ma import _native

__all__ = ["register_ale_ids", "register_envs"]

ENTRY_POINT = "pyale_ma.single.env:AtariEnv"
VECTOR_ENTRY_POINT = "pyale_ma.vector:AtariVectorEnv"
MAX_NUM_FRAMES_PER_EPISODE = 108_000  # half an hour of play

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
        if _native.Rules.SOLO in game.rules:
            yield _spec(f"ALE/{env_name(name)}-v5", name, 4, 0.25, vector=True)
    for name in LEGACY_GAMES:
        for suffix, frameskip in (("", (2, 5)), ("NoFrameskip", 1)):
            for version, probability in (("v0", 0.25), ("v4", 0.0)):
                id_ = f"{env_name(name)}{suffix}-{version}"
                yield _spec(id_, name, frameskip, probability)


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


def env_name(game: str) -> str:
    """The name of a game within an id: "ms_pacman" is MsPacman."""
    return game.title().replace("_", "")


def register_envs() -> None:
    """Register all ids in the namespace ``pyale_ma``, and the field's ids that are still free."""
    _register(replace=False)


def register_ale_ids() -> None:
    """Take the field's ids (``ALE/Pong-v5``, ``Pong-v4``) over, whoever has them."""
    _register(replace=True)


def _register(*, replace: bool) -> None:
    # gymnasium.register compares each new id with all known ones; ours are known to be well formed.
    for spec in _specs():
        if replace or spec.id not in gymnasium.registry:
            gymnasium.registry[spec.id] = spec
        own_id = f"pyale_ma/{spec.id.removeprefix('ALE/')}"
        if own_id not in gymnasium.registry:
            own = _spec(
                own_id,
                spec.kwargs["game"],
                spec.kwargs["frameskip"],
                spec.kwargs["repeat_action_probability"],
                vector=spec.vector_entry_point is not None,
            )
            gymnasium.registry[own_id] = own
