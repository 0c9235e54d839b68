"""The checks: files are opened, their rows judged in one pass, and findings given their places."""
