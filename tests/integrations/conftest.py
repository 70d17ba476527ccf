"""The adapters' tests need the libraries behind the adapters: `pip install '.[integrations]'`."""

from __future__ import annotations

import importlib.util
import os

# The policies are tiny; a pool of threads would cost more than it brings, here and in workers.
os.environ["OMP_NUM_THREADS"] = "1"
if importlib.util.find_spec("torch"):
    import torch

    torch.set_num_threads(1)
