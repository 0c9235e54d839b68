"""Rules on judges: their templates, and how they were validated."""
