"""Tests of `pyale_ma.single`."""
