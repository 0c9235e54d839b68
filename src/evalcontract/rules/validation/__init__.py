"""Rules on the validation of judges."""
