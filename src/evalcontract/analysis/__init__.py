"""Static analysis of templates, regular expressions, JSON Schemas and conflicting checks."""
