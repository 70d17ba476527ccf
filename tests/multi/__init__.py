"""Multi-player: the interface and the PettingZoo environments, against their originals."""
