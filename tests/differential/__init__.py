"""Differential tests: `pyale_ma.single` and ale-py 0.12.1 do the same and must stay equal."""
