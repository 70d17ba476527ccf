"""Trains the players of `pyale_ma.opponents`: ``python -m league pong_v3`` in the repository."""
