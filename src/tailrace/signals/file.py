r"""Signals from a file: one line of JSON each, which anybody may append; tailrace removes them after reading.

Debezium reads the file and empties it, and loses what is written in between. Here the file is renamed atomically
(`file-signals.txt.<number>.taken`) and replaced by an empty one with the same permissions, so that a line ends up in
one or the other. A program that had the file open continues to write to the renamed one, so that this one is polled
as well. It is removed when it has been quiet for a minute, there is a newer one, and the progress that the reader
began with says that all of it was handled: later progress may not be committed yet.

A line without its end may be incomplete. It counts as soon as it is a whole JSON object, which no prefix of one can
be; an incomplete line that does not change for some seconds is given up.

A *mark* says how far the renamed files were handled. It goes into the progress beside the signals' effects: a reader
that begins with that mark returns nothing twice, and returns uncommitted signals again.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tailrace import epoch
from tailrace.errors import ConfigError
from tailrace.signals.model import Channel, Signal, Unreadable
from tailrace.signals.parsing import BadSignalError, parse_message, read_document

PATIENCE_SECONDS: Final = 5.0  # then an incomplete line is given up
QUIET_SECONDS: Final = 60.0  # a writer may still have a renamed file open
_NUMBER: Final = re.compile(r"[0-9a-f]{16}")
_MARK: Final = re.compile(rf"({_NUMBER.pattern}):(\d+)")


@dataclass(frozen=True, slots=True)
class SignalBatch:
    """Signals that were read together.

    Attributes:
        signals: in the order of the file; empty if only blank lines were read.
        mark: for the progress, once they were handled.

    """

    signals: tuple[Signal, ...]
    mark: str


class FileSignals:
    """The file of `signal.file`; one reader at a time."""

    def __init__(
        self, path: str | os.PathLike[str], mark: str | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`mark`: of the newest signals that were handled, from the progress; `clock` gives seconds."""
        self._path = Path(os.path.realpath(path))  # a link stays where it is
        self._clock = clock
        self._kept = _parsed(mark)  # bytes, by the number of a moved file
        self._handled = dict(self._kept)
        self._unfinished: dict[str, tuple[int, float]] = {}  # files that end in half a line: size, and since when

    def read(self) -> SignalBatch | None:
        """The new signals of one file; the same again until `mark_handled` is called with them.

        Raises:
            ConfigError: the file, or the directory that it is in, may not be read or written.

        """
        try:
            return self._read()
        except FileNotFoundError:  # somebody removed it meanwhile
            return None
        except OSError as error:
            raise ConfigError(
                f"signal.file={self._path} can't be read and moved aside: {error.strerror}; the user that runs tailrace "
                "needs the right to read it and to write to its directory"
            ) from error

    def mark_handled(self, taken: SignalBatch) -> None:
        """Mark these as handled; a crash before their mark is committed brings them again."""
        self._handled = _parsed(taken.mark)

    def _read(self) -> SignalBatch | None:
        moved = self._moved()
        self._handled = {number: size for number, size in self._handled.items() if number in moved}
        for number, path in moved.items():
            if taken := self._rest_of(number, path):
                return taken
        if not _has_content(self._path):
            return None
        for number, path in moved.items():
            if _is_quiet(path):
                if taken := self._rest_of(number, path, last=True):
                    return taken
                if self._kept.get(number) == self._handled.get(number):
                    path.unlink()
        return self._rest_of(*self._move())

    def _moved(self) -> dict[str, Path]:
        """The files that were moved aside and are still there, by number."""
        beside = sorted(self._path.parent.glob(f"{_escaped(self._path.name)}.*.taken"))
        numbers = [path.name.split(".")[-2] for path in beside]
        return {n: path for n, path in zip(numbers, beside, strict=True) if _NUMBER.fullmatch(n)}

    def _move(self) -> tuple[str, Path]:
        """Put the file aside and an empty one in its place."""
        number = f"{epoch.now_ms():012x}"[-12:] + uuid.uuid4().hex[:4]  # in the order of time
        before, moved = self._path.stat(), self._path.with_name(f"{self._path.name}.{number}.taken")
        self._path.rename(moved)
        with contextlib.suppress(FileExistsError):  # a writer was faster
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            with contextlib.suppress(PermissionError):  # only root gives files away
                os.chown(self._path, before.st_uid, before.st_gid)
            self._path.chmod(stat.S_IMODE(before.st_mode))
        return number, moved

    def _rest_of(self, number: str, path: Path, *, last: bool = False) -> SignalBatch | None:
        """The unhandled rest; `last`: no incomplete line will be completed."""
        start = self._handled.get(number, 0)
        with path.open("rb") as file:
            file.seek(start)
            content = file.read()
        end = _end_of_lines(content)
        if end < len(content) and (last or self._is_given_up(number, start + len(content))):
            end = len(content)
        if not end:
            return None
        lines = (line for line in content[:end].split(b"\n") if line.strip())
        return SignalBatch(tuple(map(_signal, lines)), _text({**self._handled, number: start + end}))

    def _is_given_up(self, number: str, size: int) -> bool:
        """Whether the incomplete line at the end of a file has not changed for long."""
        now = self._clock()
        before, since = self._unfinished.get(number, (-1, now))
        self._unfinished[number] = (size, since if before == size else now)
        return before == size and now - since >= PATIENCE_SECONDS


def _signal(line: bytes) -> Signal:
    found = parse_message(line, Channel.FILE)
    if isinstance(found, Unreadable) and found.id is None:
        return Unreadable(id=None, channel=Channel.FILE, reason=f"{found.reason}; the line begins with {line[:60]!r}")
    return found


def _end_of_lines(content: bytes) -> int:
    """Where the last whole line ends."""
    end = content.rfind(b"\n") + 1
    try:
        read_document(content[end:].decode())
    except (BadSignalError, UnicodeDecodeError):
        return end
    return len(content)


def _has_content(path: Path) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > 0


def _is_quiet(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > QUIET_SECONDS


def _text(handled: Mapping[str, int]) -> str:
    return ",".join(f"{number}:{size}" for number, size in handled.items())


def _parsed(mark: str | None) -> dict[str, int]:
    parts = (_MARK.fullmatch(part) for part in (mark or "").split(","))
    return {found[1]: int(found[2]) for found in parts if found}


def _escaped(name: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", name)
