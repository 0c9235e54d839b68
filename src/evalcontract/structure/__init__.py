"""JSON Schema validation: exact problems, located by path."""
