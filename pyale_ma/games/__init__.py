"""Games: their ROM files, cards, modes, actions and named environments."""
