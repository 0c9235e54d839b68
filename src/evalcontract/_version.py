"""The version of the package, which its lowest modules know, too."""

__version__ = "0.1.0"
