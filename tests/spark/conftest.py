"""A session of Spark for the tests of this folder: Apache Sail, which needs no JVM."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from needs import SAIL, missing

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Start Sail once; without it, skip."""
    try:
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession
    except ImportError:
        missing(SAIL)
    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    _, port = server.listening_address
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", FutureWarning)  # of pandas 3
        # PySpark takes a process without a main file, as xdist starts, for one that runs doctests.
        patch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
        patch.setenv("SPARK_REMOTE", f"sc://127.0.0.1:{port}")
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        yield session
        session.stop()
    server.stop()
