"""A recording's file: what stands in it, how it is checked, written and read."""
