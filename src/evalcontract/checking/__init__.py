"""Which files are checked, and what is found in them."""
