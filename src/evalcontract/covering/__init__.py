"""Which checks will run on which rows."""
