"""The JSON Schema stage: is a value built as the contract says? Exact findings, in paths."""
