"""The common part of the programs: command line, header of results, failures that don't end the program, topic prefixes."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.measuring import servers
from bench.measuring.results import Results
from bench.measuring.servers import Servers


def end_in_good_order() -> None:
    """Let SIGTERM end the program as Ctrl-C does, so that all child processes end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))


def add_common_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of every program."""
    parser.add_argument("--continue", dest="go_on", action="store_true", help="leave out what the results file has")
    parser.add_argument("--write", action="store_true", help="put the figures into the docs and the README")
    parser.add_argument(
        "--patience", type=float, default=90, help="seconds to wait for a quiet machine before each run [90]"
    )
    parser.add_argument("--results", type=Path, help="the file of raw results")


def parts_of(parser: ArgumentParser, given: str, known: tuple[str, ...]) -> list[str]:
    """The parts of --parts; ends the program if one is not known."""
    parts = given.split(",")
    if unknown := set(parts) - set(known):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return parts


def require_room(needed: int) -> None:
    """End the program if the disk has less free space."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if needed > free:
        raise SystemExit(
            f"the servers need about {needed / 1e9:.0f} GB in {tempfile.gettempdir()}, and {free / 1e9:.0f} are free"
        )


def opened(running: Servers, path: Path, *, go_on: bool, further: Mapping[str, str] | None = None) -> Results:
    """Open the file of results; `further` are versions besides those that every program names."""
    header = {
        "date": str(datetime.now(UTC).date()),
        "machine": servers.machine(),
        "versions": {**servers.versions(running), **(further or {})},
    }
    return (Results.go_on if go_on else Results.begin)(path, header)


def end(shown: Iterable[str], results: Results, failures: Failures, write: Callable[[], None] | None) -> None:
    """Print the tables, end the program if anything failed, and with --write update the pages."""
    print("\n\n".join(["", *filter(None, shown)]))
    print(f"\nraw results: {results.path}")
    failures.end()
    if write is not None:
        write()


class Failures:
    """Collects failures while the program continues."""

    def __init__(self) -> None:
        self.of: list[str] = []

    @contextmanager
    def noted(self, label: str) -> Iterator[None]:
        """A context in which a failure is printed and collected."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 -- whatever it is, the next measurement may succeed
            print(f"FAILED: {label}: {type(error).__name__}: {error}", flush=True)
            self.of.append(label)

    def end(self) -> None:
        """End the program if anything failed."""
        if self.of:
            raise SystemExit(f"failed: {', '.join(self.of)}; --continue measures what is missing")


_made = iter(range(1, 10_000))


def new_prefix(side: str) -> str:
    """A unique topic prefix; its length is the same for both sides, because topic names are part of the records."""
    return f"{side[0].lower()}{next(_made):04d}"
