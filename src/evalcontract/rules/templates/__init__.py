"""Rules on the templates of judges."""
