"""The messages, help and fixes for schema violations and mismatched keys."""
