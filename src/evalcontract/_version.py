"""The version of the package; it imports nothing, so that any module can name it."""

__version__ = "0.1.0"
