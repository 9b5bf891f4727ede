"""Spark's errors about its checkpoint folder, as one sentence with the folder, the file and the remedy.

The target's progress is the truth, so a damaged or another query's checkpoint can be removed: the next run resumes from
the progress. Spark reports Java's errors, and for a truncated file only a JSON parse error; so this module checks the
newest files itself.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from tailrace.errors import ConfigError, FencedError, ProgressError, RetriableError, TailraceError
from tailrace.source.checkpoint_folder import Folder, HadoopFolder
from tailrace.source.query_errors import full_text
from tailrace.streaming.failures import is_sparks, unwrapped

REMOVE: Final = "remove the folder: the target knows how far it came, and the next run goes on from there"
_SHARED: Final = re.compile("CONCURRENT_STREAM_LOG_UPDATE|Concurrent update to the log")
_FULL: Final = re.compile("No space left on device|Disk quota exceeded")
_NEWER: Final = re.compile("INVALID_LOG_VERSION")
_OTHER: Final = re.compile(r"sources in the checkpoint offsets")
_DAMAGED: Final = re.compile(
    "Failed to read log file|Incomplete log file|MALFORMED_LOG_FILE|STREAMING_CHECKPOINT_MISSING_METADATA_FILE"
)
_UNWRITABLE: Final = re.compile(
    "Read-only file system|Permission denied|mkdir of .* failed|exists and is not a directory|Input/output error"
)
_NO_ENTRY: Final = "-"
_SCARCE: Final = 1 << 20

Place = Path | HadoopFolder
F = TypeVar("F", bound=Folder)


@contextmanager
def checkpoint_errors(folder: Place) -> Iterator[None]:
    """Turn Spark's checkpoint errors into tailrace's; others pass."""
    try:
        yield
    except Exception as error:
        explained = explain(error, folder)
        if explained is None:
            raise
        raise explained from error


def explain(error: Exception, folder: Place) -> TailraceError | None:
    """The error about the checkpoint; None if the problem is another one."""
    if not is_sparks(error) or isinstance(unwrapped(error), TailraceError):
        return None
    text = full_text(error)
    found = next((make for sign, make in _MEANINGS if sign.search(text)), None)
    if found is not None:
        return found(folder, text)
    damaged = damaged_file(folder)
    return _damaged(folder, text) if damaged else None


def damaged_file(folder: F) -> F | None:
    """The damaged file: the metadata, or the newest of `offsets` or `commits`."""
    offset, commit = _newest(folder / "offsets"), _newest(folder / "commits")
    metadata = folder / "metadata"
    if _is_spoilt(metadata, needed=bool(offset or commit)):
        return metadata
    if commit is not None and (offset is None or int(offset.name) < int(commit.name)):
        return folder / "offsets" / commit.name
    return next((path for path in (offset, commit) if path is not None and not _is_whole(path)), None)


def _newest(log: F) -> F | None:
    numbered = [path for path in log.glob("*") if path.name.isdecimal()]
    return max(numbered, key=lambda path: int(path.name), default=None)


def _is_spoilt(metadata: Folder, *, needed: bool) -> bool:
    with suppress(OSError, ValueError):
        fields = json.loads(metadata.read_text())
        return not (isinstance(fields, dict) and "id" in fields)
    return needed or metadata.exists()


def _is_whole(path: Folder) -> bool:
    """Whether a log file is complete: a line with the version, then lines of JSON, or a dash for none."""
    with suppress(OSError, ValueError):
        version, *lines = path.read_text().splitlines()
        for line in lines:
            if line != _NO_ENTRY:
                json.loads(line)
        return re.fullmatch(r"v\d+", version) is not None and bool(lines)
    return False


def _shared(folder: Place, text: str) -> TailraceError:
    if damaged_file(folder):
        return _damaged(folder, text)
    return FencedError(
        f"another run writes to the checkpoint folder {folder}: stop that one, or give each connector a folder of its own "
        f"(--checkpoint). If there is no other run, {REMOVE}"
    )


def _full(folder: Place, _: str) -> TailraceError:
    every: list[Place] = [folder, Path(tempfile.gettempdir())]
    places = [place for place in every if _free(place) < _SCARCE] or [folder]
    return RetriableError(
        f"no space is left on the disk of {' and of '.join(map(str, places))}: free some; the next run goes on from the last "
        "commit"
    )


def _newer(folder: Place, _: str) -> TailraceError:
    return ProgressError(
        f"the checkpoint folder {folder} was written by a newer version of Spark than this one: take that version, or {REMOVE}"
    )


def _other(folder: Place, _: str) -> TailraceError:
    return ProgressError(
        f"the checkpoint folder {folder} is that of another query: name one of this connector's own (--checkpoint), or {REMOVE}"
    )


def _damaged(folder: Place, _: str) -> TailraceError:
    path = damaged_file(folder)
    name = str(path).removeprefix(f"{folder}/")
    what = "a file is cut off or damaged" if path is None else f"{name} is cut off, damaged or missing"
    return ProgressError(f"Spark can't read the checkpoint folder {folder}, {what}: {REMOVE}")


def _unwritable(folder: Place, text: str) -> TailraceError | None:
    if str(folder) not in text:
        return None
    why = _UNWRITABLE.search(text)
    return ConfigError(
        f"Spark can't write to the checkpoint folder {folder} ({why and why[0]}): let tailrace's user write there, or name "
        "another with --checkpoint"
    )


_MEANINGS: Final[tuple[tuple[re.Pattern[str], Callable[[Place, str], TailraceError | None]], ...]] = (
    (_FULL, _full),
    (_SHARED, _shared),
    (_NEWER, _newer),
    (_OTHER, _other),
    (_DAMAGED, _damaged),
    (_UNWRITABLE, _unwritable),
)


def _free(place: Place) -> int:
    if isinstance(place, HadoopFolder):
        return _SCARCE  # not known
    with suppress(OSError):
        return shutil.disk_usage(place).free
    return _SCARCE
