"""Helpers that the whole package shares; they import nothing else of it."""
