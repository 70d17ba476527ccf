"""Evaluation protocols of papers, as options for this package's environments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import gymnasium
from gymnasium.wrappers import AtariPreprocessing, ClipReward, FrameStackObservation

from pyale_ma._base.arguments import known_names
from pyale_ma.games.rom_files import known_game
from pyale_ma.single import AtariEnv

Phase: TypeAlias = Literal["training", "evaluation"]
_STACK = 4  # frames of an observation
_SIZE = 84  # pixels of each side


@dataclass(frozen=True)
class Protocol:
    """Settings of play that a paper fixes.  Frames are the console's, 60 a second.

    Attributes:
        name: Its key in `PROTOCOLS`.
        source: Where it was published.
        frameskip: Frames per step; the action is held.
        pooled: Observations are gray, 84 x 84, a stack of four, each the brighter of the step's
            last two frames.  False: the paper leaves observations to the agent.
        repeat_action_probability: Of sticky actions, in each frame.
        noops: Most frames of NOOP at the beginning of an episode.
        full_action_space: All 18 actions, not only those that have an effect in the game.
        max_frames: Frames after which an episode ends.
        life_loss: In training, the loss of a life is reported as the end of an episode.
        clipped: In training, rewards are clipped to -1..1.
        epsilon: In evaluation, the probability of a random action in place of the policy's.
        budget_frames: How long agents are trained; None: the paper has no one number.

    Examples:
        ```python
        from pyale_ma.benchmarks import PROTOCOLS
        from pyale_ma.vector import AtariVectorEnv

        protocol = PROTOCOLS["atari_100k"]
        envs = AtariVectorEnv("quartet", 8, **protocol.vector_options("training"))
        ```
    """

    name: str
    source: str
    frameskip: int
    pooled: bool
    repeat_action_probability: float
    noops: int
    full_action_space: bool
    max_frames: int
    life_loss: bool
    clipped: bool
    epsilon: float
    budget_frames: int | None

    def vector_options(self, phase: Phase = "evaluation") -> dict[str, Any]:
        """Arguments of `pyale_ma.vector.AtariVectorEnv`.

        After a lost life the game goes on, as it did in the papers (`life_loss_info`).  FIRE is not
        pressed for the agent.  Where `pooled` is False, observations are the vector's default.

        Args:
            phase: "training" or "evaluation".

        Raises:
            ValueError: There is no such phase.
        """
        training = _is_training(phase)
        return {
            "frameskip": self.frameskip,
            "repeat_action_probability": self.repeat_action_probability,
            "noop_max": self.noops + 1 if self.noops else 0,  # the vector draws less than this
            "full_action_space": self.full_action_space,
            "max_num_frames_per_episode": self.max_frames,
            "life_loss_info": training and self.life_loss,
            "reward_clipping": training and self.clipped,
            "use_fire_reset": False,
        }

    def gym_options(self) -> dict[str, Any]:
        """Arguments of `gymnasium.make("pyale_ma/...-v5")`: how the console is played.

        Where `pooled`, `frameskip` is 1: Gymnasium's `AtariPreprocessing` skips and pools; `make`
        has all its arguments.
        """
        return {
            "frameskip": 1 if self.pooled else self.frameskip,
            "repeat_action_probability": self.repeat_action_probability,
            "full_action_space": self.full_action_space,
            "max_num_frames_per_episode": self.max_frames,
        }

    @known_names
    def make(
        self, game: str, phase: Phase = "evaluation", *, render_mode: Any = None
    ) -> gymnasium.Env[Any, Any]:
        """One environment with Gymnasium's wrappers, as the protocol has it.

        Episodes begin with 1 to `noops` frames of NOOP, since `AtariPreprocessing` draws so, and
        after the loss of a life that ends one, `reset` begins a new game.

        Args:
            game: The game's name.
            phase: "training" or "evaluation".
            render_mode: Of `AtariEnv`.

        Raises:
            ValueError: There is no such phase or game.
            gymnasium.error.DependencyNotInstalled: OpenCV is missing, which resizes.
            FileNotFoundError: The game's ROM file was not found; the text says how to get one.
        """
        training = _is_training(phase)
        env: gymnasium.Env[Any, Any] = AtariEnv(
            known_game(game), render_mode=render_mode, **self.gym_options()
        )
        if self.pooled:
            env = AtariPreprocessing(
                env,
                noop_max=self.noops,
                frame_skip=self.frameskip,
                screen_size=_SIZE,
                terminal_on_life_loss=training and self.life_loss,
            )
            env = FrameStackObservation(env, _STACK)
        return ClipReward(env, -1.0, 1.0) if training and self.clipped else env


def _is_training(phase: str) -> bool:
    if phase not in ("training", "evaluation"):
        raise ValueError(f"phase is {phase!r}; it must be training or evaluation")
    return phase == "training"


_HALF_HOUR, _FIVE_MINUTES = 108_000, 18_000

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "dqn",
            "Mnih et al. 2015, doi 10.1038/nature14236, as later papers use it",
            frameskip=4,
            pooled=True,
            repeat_action_probability=0.0,
            noops=30,
            full_action_space=False,
            max_frames=_HALF_HOUR,
            life_loss=True,
            clipped=True,
            epsilon=0.05,
            budget_frames=200_000_000,
        ),
        Protocol(
            "machado",
            "Machado et al. 2018, arXiv 1709.06009",
            frameskip=5,
            pooled=False,
            repeat_action_probability=0.25,
            noops=0,
            full_action_space=True,
            max_frames=_FIVE_MINUTES,
            life_loss=False,
            clipped=False,
            epsilon=0.0,
            budget_frames=200_000_000,
        ),
        Protocol(
            "dopamine",
            "Castro et al. 2018, arXiv 1812.06110",
            frameskip=4,
            pooled=True,
            repeat_action_probability=0.25,
            noops=0,
            full_action_space=False,
            max_frames=_HALF_HOUR,
            life_loss=False,
            clipped=True,
            epsilon=0.0,
            budget_frames=200_000_000,
        ),
        Protocol(
            "atari_100k",
            "Kaiser et al. 2019, arXiv 1903.00374",
            frameskip=4,
            pooled=True,
            repeat_action_probability=0.0,
            noops=30,
            full_action_space=False,
            max_frames=_HALF_HOUR,
            life_loss=True,
            clipped=True,
            epsilon=0.0,
            budget_frames=400_000,
        ),
        Protocol(
            "v5",
            'what gymnasium.make("ALE/...-v5") does',
            frameskip=4,
            pooled=False,
            repeat_action_probability=0.25,
            noops=0,
            full_action_space=False,
            max_frames=_HALF_HOUR,
            life_loss=False,
            clipped=False,
            epsilon=0.0,
            budget_frames=None,
        ),
    )
}
"""The protocols by name: "dqn", "machado", "dopamine", "atari_100k" and "v5"."""
