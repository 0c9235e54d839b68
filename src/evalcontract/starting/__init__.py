"""A workspace from nothing, from a dataset, or from the files of other tools."""
