"""`ALEState`: a moment of a game."""

from __future__ import annotations

from pyale_ma import _native


class ALEState(_native.State):
    """A saved state of one console, in all layers; immutable.

    `ALEInterface.cloneState`, ``save_state`` of environments, `AtariVectorEnv.save_states` and
    `Recording.starts` make states; all can restore those of the same game, card and rules.

    It holds the console with its picture and sound, the state of the rules, frame numbers, mode,
    difficulty, paddles, the sticky action, and, if requested, the random generator.
    States can be compared, copied and pickled, and be keys of dicts.

    Args:
        data: Bytes of an earlier `serialize`; None for an empty state.

    Examples:
        ```python
        from pyale_ma.single import AtariEnv

        env = AtariEnv("quartet")
        env.reset(seed=42)
        state = env.ale.cloneSystemState()  # an ALEState
        env.step(1)
        env.ale.restoreSystemState(state)  # as before the step
        ```

    Raises:
        ValueError: The bytes are not a state, damaged, or of another version of the library.
    """

    __slots__ = ()

    def __init__(self, data: bytes | None = None) -> None:
        if data is not None and not isinstance(data, bytes):
            raise TypeError(f"a state is made from bytes, not from {type(data).__name__}")
        self._refuse_change()
        super().__init__(data)

    def _refuse_change(self) -> None:
        if hasattr(self, "_handle"):
            raise TypeError("a state does not change; ALEState(data) makes one of these bytes")

    def getFrameNumber(self) -> int:  # noqa: N802
        """Frames since the ROM was loaded."""
        return self.info.frame_number

    def getEpisodeFrameNumber(self) -> int:  # noqa: N802
        """Frames since the last reset."""
        return self.info.episode_frame_number

    def getDifficulty(self) -> int:  # noqa: N802
        """The difficulty."""
        return self.info.difficulty

    def getCurrentMode(self) -> int:  # noqa: N802
        """The mode."""
        return self.info.mode

    def serialize(self) -> bytes:
        """The state as bytes, for `ALEState(data)` in this version of the library.

        For an empty state, no bytes.
        """
        return b"" if self.info.empty else super().serialize()

    def equals(self, other: _native.State) -> bool:
        """Whether both states have the same future.

        A state with its random generator never equals one without.
        """
        if not isinstance(other, ALEState):
            raise TypeError(
                f"a state can be compared with a state, not with {type(other).__name__}"
            )
        return super().equals(other)

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, ALEState) else NotImplemented

    def __hash__(self) -> int:
        info = self.info
        return hash((info.rom_md5, info.frame_number, info.mode, info.difficulty))

    def __getstate__(self) -> bytes:
        return self.serialize()

    def __setstate__(self, data: bytes) -> None:
        """Become the state of an earlier `serialize`; b"" for an empty one.

        Raises:
            TypeError: It is a state already.  ale-py's raises the same.
        """
        self._refuse_change()
        if not isinstance(data, bytes):
            raise TypeError(f"a state is made from bytes, not from {type(data).__name__}")
        made = ALEState(data or None)
        self._handle, made._handle = made._handle, None

    def __reduce__(self) -> tuple[type[ALEState], tuple[bytes, ...]]:  # type: ignore[override]
        return (ALEState, () if self.info.empty else (self.serialize(),))

    def __repr__(self) -> str:
        info = self.info
        if info.empty:
            return "<ALEState: empty>"
        return f"<ALEState: frame {info.frame_number}, mode {info.mode}, {info.rom_md5.decode()}>"
