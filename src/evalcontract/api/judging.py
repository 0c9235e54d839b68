"""The endpoint of judges that are asked in Python: the environment names it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.judging.asking import Judging


def judging_of_environment() -> Judging | None:
    """Return what asks judges, without a cache, if environment variables name an endpoint.

    Raises:
        UsageError: a variable is malformed.

    """
    from evalcontract.judging.client import read_settings

    settings = read_settings(os.environ)
    if settings is None:
        return None
    from evalcontract.judging.asking import Judging

    return Judging(settings)
