"""YAML: read with places, explained where it cannot be, and written."""
