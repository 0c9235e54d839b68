"""Static analysis of templates, regular expressions and conflicting checks."""
