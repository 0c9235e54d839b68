"""Limit what an endpoint may send, and for how long: the client library limits neither."""

from __future__ import annotations

from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The most bytes of an answer; of a compressed one, which may become a thousand times larger.
MAX_BYTES, MAX_COMPRESSED = 16_000_000, 100_000


def limited(response: Any, seconds: float) -> Any:
    """Return the stream of a response of httpx, which ends with an exception at its limits.

    `seconds` is the time for the whole body: the client's own limit is for each part of it.
    """
    # The client library brings httpx, or a successor with another name.
    library: Any = import_module(type(response).__module__.partition(".")[0])
    stream, request = response.stream, response.request
    encoding = response.headers.get("content-encoding", "identity")
    most = MAX_BYTES if encoding == "identity" else MAX_COMPRESSED
    end = monotonic() + seconds

    class Limited(library.SyncByteStream):  # type: ignore[misc] # known only now
        """The stream of the response."""

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in stream:
                size += len(part)
                if size > most:
                    raise library.ReadError(f"its answer exceeds {most:,} bytes", request=request)
                if monotonic() > end:
                    raise library.ReadTimeout("it sends too slowly", request=request)
                yield part

        def close(self) -> None:
            stream.close()

    return Limited()
