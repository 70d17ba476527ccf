"""Adapters from `AtariVectorEnv` to learners: one module a library, imported only where it is used.

``docs/integrations.md`` is the guide.
"""
