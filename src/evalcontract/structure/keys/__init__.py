"""Keys that no schema knows, and the known keys that were meant."""
