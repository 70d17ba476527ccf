"""A storage of TorchRL that holds recordings: its replay buffers sample windows of them."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from pyale_ma._base import install_hints

try:
    import torch
    from tensordict import TensorDict
    from torchrl.data.replay_buffers import Storage
except ModuleNotFoundError as problem:
    raise install_hints.missing(problem, "pip install torchrl") from problem

from pyale_ma.recording.data.dataset import Dataset, check_dataset


class RecordingStorage(Storage):
    """All windows of a length within episodes, by number.

    ::

        storage = RecordingStorage(Dataset("recordings"), 64)
        buffer = ReplayBuffer(
            storage=storage, batch_size=32, collate_fn=lambda windows: windows
        )
        buffer.sample()["next", "observation"]  # uint8 (32, 64, 4, 84, 84)

    Windows are tensordicts of TorchRL's usual entries: ``observation`` and ``action``, and under
    ``next`` ``observation``, ``reward``, ``done``, ``terminated`` and ``truncated``, the latter
    four with a last axis of 1, or of the players.  Nothing can be written to it.

    Args:
        dataset: Of recordings.
        length: Steps of a window.

    Raises:
        RecordingError: No episode is as long.
    """

    def __init__(self, dataset: Dataset, length: int) -> None:
        self._dataset, self._length = check_dataset(dataset), length
        self._starts = dataset.starts(length)
        super().__init__(len(self._starts))

    def __len__(self) -> int:
        """Return the number of windows."""
        return len(self._starts)

    def get(self, index: Any) -> TensorDict:
        """Windows by number: one, or as many as an index of NumPy's or PyTorch's names."""
        if isinstance(index, tuple) and len(index) == 1:
            (index,) = index
        if isinstance(index, torch.Tensor):
            index = index.cpu().numpy()
        chosen = self._starts[index]
        windows = self._dataset.windows(np.atleast_1d(chosen).ravel(), self._length).torch()
        rewards, terminated = windows.rewards, windows.terminations
        if rewards.ndim == 2:  # one player
            rewards, terminated = rewards.unsqueeze(-1), terminated.unsqueeze(-1)
        truncated = windows.truncations.unsqueeze(-1).expand_as(terminated).clone()
        following = {
            "observation": windows.observations[:, 1:],
            "reward": rewards,
            "done": terminated | truncated,
            "terminated": terminated,
            "truncated": truncated,
        }
        tensors = TensorDict(
            {
                "observation": windows.observations[:, :-1],
                "action": windows.actions,
                "next": TensorDict(following, batch_size=windows.truncations.shape),
            },
            batch_size=windows.truncations.shape,
        )
        return tensors.reshape(*np.shape(chosen), self._length)

    def contains(self, item: Any) -> Any:
        """Whether there are windows with these numbers."""
        index = torch.as_tensor(item)
        return (index >= 0) & (index < len(self))

    def set(self, cursor: Any, data: Any, *, set_cursor: bool = True) -> NoReturn:
        """Refuse: recordings stay as they are."""
        raise TypeError("a RecordingStorage cannot be written to: record more, and make another")

    def state_dict(self) -> dict[str, Any]:
        """Nothing that changes."""
        return {"windows": len(self), "length": self._length}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Compare with what was saved.

        Raises:
            ValueError: That was of other recordings, or of another length.
        """
        if dict(state_dict) != self.state_dict():
            raise ValueError(f"the state is of {dict(state_dict)}, this is of {self.state_dict()}")

    def _empty(self) -> None:
        self.set(0, None)
