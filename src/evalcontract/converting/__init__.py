"""Rows of one system as rows of another."""
