"""A cache of the outcomes of earlier checks, in the cache folder of the user."""

from __future__ import annotations

from evalcontract.cache.checks import Memory, RecordingFiles, cached_check
from evalcontract.cache.store import FOLDER_VARIABLE, Cache, cache_folder

__all__ = ["FOLDER_VARIABLE", "Cache", "Memory", "RecordingFiles", "cache_folder", "cached_check"]
