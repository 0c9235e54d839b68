"""An opened dataset of any kind, and one pass over its rows."""
