"""JSON and JSON Lines: read with places, and lines in blocks."""
