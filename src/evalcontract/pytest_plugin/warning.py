"""The warning by which pytest shows findings that fail no test."""

from __future__ import annotations

import pytest


class EvalContractWarning(pytest.PytestWarning):
    """Findings that fail no test; `-W ignore::evalcontract.pytest_plugin.EvalContractWarning`."""

    __module__ = "evalcontract.pytest_plugin"
