"""The endpoint of the commands that ask judges over a model: the environment names it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from evalcontract.cli.outcome import uses_cache

if TYPE_CHECKING:
    from evalcontract.judging.asking import Judging


def judging_for(cache: bool | None) -> Judging | None:  # noqa: FBT001 - an option
    """Return what asks judges, if the environment names an endpoint.

    `cache` is whether answers of earlier runs are used; None outside of CI.

    Raises:
        UsageError: a variable is malformed.

    """
    from evalcontract.judging.client import read_settings

    settings = read_settings(os.environ)
    if settings is None:
        return None
    from evalcontract.cache.store import cache_folder  # only if judges can be asked
    from evalcontract.judging.asking import Judging
    from evalcontract.judging.questions import AnswerCache

    folder = cache_folder() if (uses_cache() if cache is None else cache) else None
    return Judging(settings, AnswerCache(folder) if folder else None)
