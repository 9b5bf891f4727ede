"""Where records go. `open_sink` reads the names that the command line knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailrace.errors import ConfigError, UnsupportedError
from tailrace.sinks.base import Sink

TARGETS = ("files:DIR", "console")


def open_sink(target: str, *, source: str, run: str, link: str = "", document: Mapping[str, Any] | None = None) -> Sink:
    """The sink that a target names."""
    kind, _, place = target.partition(":")
    if kind == "files":
        from tailrace.sinks.files import FilesSink

        return FilesSink(Path(place), source, run)
    from tailrace.sinks.console import ConsoleSink

    return ConsoleSink(Path(place), source, run, link)


def check_target(target: str) -> None:
    """Raise `ConfigError` for a target that `open_sink` does not know."""
    kind, _, place = target.partition(":")
    if kind == "kafka":
        raise UnsupportedError(f"--to {target}: Kafka is not supported yet; use {' or '.join(TARGETS)}")
    if kind not in {"files", "console"}:
        raise ConfigError(f"--to {target}: there is no such target; use {' or '.join(TARGETS)}")
    if kind == "files" and not place:
        raise ConfigError("--to files: needs a folder: files:DIR")
