"""Tests of `pyale_ma.vector`."""
