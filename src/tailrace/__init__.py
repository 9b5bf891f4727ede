"""tailrace: change data capture on Spark, in Python."""

from typing import TYPE_CHECKING, Any

from tailrace.version import __version__

if TYPE_CHECKING:
    from tailrace.streaming.handle import Stream
    from tailrace.streaming.status import State, StreamStatus
    from tailrace.streaming.stream import stream

__all__ = ["State", "Stream", "StreamStatus", "__version__", "stream"]
_PLACES = {
    "State": "tailrace.streaming.status",
    "Stream": "tailrace.streaming.handle",
    "StreamStatus": "tailrace.streaming.status",
    "stream": "tailrace.streaming.stream",
}
"""Imported when they are used: they need Spark's modules, and each worker imports this package."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
