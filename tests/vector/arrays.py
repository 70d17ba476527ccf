"""Comparison of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def same_array(theirs: Any, ours: Any, name: str = "") -> None:
    """Compare two arrays."""
    assert theirs.dtype == ours.dtype, name
    assert theirs.shape == ours.shape, name
    assert np.asarray(theirs).tobytes() == np.asarray(ours).tobytes(), name
