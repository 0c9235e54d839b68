"""Fixes: offered to a person, applied to a file."""
