"""JSON Schemas that authors write: what is wrong with them, in words."""
