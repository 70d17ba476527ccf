"""Windows of steps for training: of recordings, and of what a vector played last."""
