"""Validation of the JSON Schemas that authors write: in bundles and in `json_schema` checks."""
