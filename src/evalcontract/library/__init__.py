"""Rubrics and judges by id and version: pure look-up, cycles, provenance."""
