"""Plays recordings again, through the layer that was recorded."""
