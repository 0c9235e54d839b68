"""Rules on rows, and on a dataset as a whole."""
