"""Stands before yaml-rs on the path of `make without-yaml-rs`, as if it were not installed."""

raise ModuleNotFoundError("No module named 'yaml_rs'", name="yaml_rs")
