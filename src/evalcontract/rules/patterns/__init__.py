"""Rules on what rubrics search for: regular expressions and JSON Schemas."""
