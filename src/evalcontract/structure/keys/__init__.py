"""Keys that no schema knows, and the ones that were meant."""
