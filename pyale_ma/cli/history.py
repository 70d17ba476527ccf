"""The last minute of a game, second by second, so that a person can go back in it."""

from __future__ import annotations

from collections import deque

from pyale_ma._native import Env, State

_SECONDS = 60  # that are kept


class History:
    """States to go back to: from a second ago, and from before that.

    Args:
        env: The game, just reset.
        fps: Frames a second.
    """

    def __init__(self, env: Env, fps: int) -> None:
        self._env, self._fps = env, fps
        self._frames = 0  # that were played, less those that were taken back
        self._kept: deque[tuple[int, State, list[int]]] = deque(maxlen=_SECONDS)
        self._keep([0] * env.report.players)

    def _keep(self, scores: list[int]) -> None:
        state = State()
        self._env.save(state, include_random=True)
        self._kept.append((self._frames, state, list(scores)))

    def add(self, scores: list[int]) -> None:
        """Note that a frame was played, with these scores after it."""
        self._frames += 1
        if self._frames % self._fps == 0:
            self._keep(scores)

    def back(self, seconds: int) -> tuple[float, list[int]]:
        """Go back, to a full second, and not before the first that is kept.

        Returns:
            By how many seconds, and the scores then.
        """
        wanted = self._frames - seconds * self._fps
        while len(self._kept) > 1 and self._kept[-1][0] > wanted:
            self._kept.pop()
        then, state, scores = self._kept[-1]
        self._env.restore(state)
        went, self._frames = self._frames - then, then
        return went / self._fps, list(scores)
