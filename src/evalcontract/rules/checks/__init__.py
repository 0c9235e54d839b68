"""Rules on the checks of a rubric, and on what files and versions are called."""
