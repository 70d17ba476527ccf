"""``python -m pyale_ma``: the command line."""

import sys

from pyale_ma.cli import main

sys.exit(main())
