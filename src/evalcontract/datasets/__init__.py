"""The checks: open files, check their rows in one pass, and locate the findings."""
