"""The record of a lane in a folder: its progress and structures, changed atomically, by one owner at a time.

    lock            held while the owner or the record changes (flock: the system drops it with the process)
    owner.json      the epoch, incremented by each claim and each task that takes the lane over, who that was, and which run has
                    claimed the lane: tasks of others don't get it any more
    commit.json     the last commit: progress, files, committed length of the history; replaced by a rename
    history.jsonl   the schema history, append-only; what lies beyond the committed length does not count

A task that was superseded finds another epoch than its own at commit, and ends: it may have written
files that nobody will read, but it can't have committed.
"""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.durable_files import lock, stands_still, sync_folder
from tailrace.errors import FencedError, ProgressError, SinkLostError

FORMAT = 1
PATIENCE_SECONDS = 10.0  # a stop waits for that, and it is tried again
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its number, counted from 1, and the state after it.

    Attributes:
        source: the connector, as `kind topic-prefix`.
        files: (temporary name, final name), relative to the sink's folder.
        history_bytes: how much of `history.jsonl` counts.
        history_start: where the history begins: after what counted before the lane was replaced.

    """

    number: int
    source: str
    delivered: str
    restart: Mapping[str, Any]
    files: Sequence[tuple[str, str]] = ()
    history_bytes: int = 0
    history_start: int = 0
    snapshot: Mapping[str, Any] | None = None
    signalled: Mapping[str, Any] | None = None
    epoch: int = 0
    committed_at_ms: int = 0
    format: int = field(default=FORMAT)

    @property
    def progress(self) -> Progress:
        """The progress that it stored."""
        return Progress(self.delivered, self.restart, self.snapshot, self.signalled)


class LaneRecord:
    """The record of one lane of one source in its own folder."""

    def __init__(self, folder: Path, source: str, run: str) -> None:
        self.folder = folder
        self.epoch = 0
        self._source = source
        self._run = run

    def read(self) -> Commit | None:
        """The last commit; None before the first."""
        path = self.folder / "commit.json"
        try:
            fields = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ProgressError(f"the progress record {path} can't be read: {error}") from error
        return self._checked(path, fields)

    def claim(self) -> None:
        """Sign the lane with this run's name, and fence its owner; call it with the lock held."""
        self._become_owner(self._owner(), self.read(), claimed=self._run)

    def take(self) -> Commit | None:
        """Become the owner; call it with the lock held.

        Raises:
            FencedError: another run has claimed the lane.

        """
        commit, owner = self.read(), self._owner()
        claimed = owner.get("claimed")
        if claimed not in {None, self._run}:
            raise self._taken(owner)
        self._become_owner(owner, commit, claimed=claimed)
        self._drop_uncommitted_history(commit)
        return commit

    def check_owner(self) -> None:
        """Raise `FencedError` unless this task is still the owner; call it with the lock held."""
        owner = self._owner()
        if owner.get("epoch") == self.epoch:
            return
        raise self._taken(owner)

    def superseded_by_same_run(self) -> bool:
        """Whether the owner is another attempt of the same run, which is normal."""
        return bool(self._owner().get("run") == self._run)

    def store(
        self,
        last: Commit | None,
        progress: Progress,
        history: Sequence[HistoryRecord],
        files: Sequence[tuple[str, str]],
        *,
        replaces_history: bool = False,
    ) -> Commit:
        """Commit, by one rename; call it with the lock held, once the files are synced to disk.

        With `replaces_history` the given history replaces the old one.
        """
        self.check_owner()
        commit = Commit(
            number=last.number + 1 if last else 1,
            source=self._source,
            delivered=progress.delivered,
            restart=progress.restart,
            snapshot=progress.stored_snapshot,
            signalled=progress.signalled,
            files=tuple(files),
            history_bytes=self._append_history(last, history),
            history_start=_history_start(last, replaces_history=replaces_history),
            epoch=self.epoch,
            committed_at_ms=epoch.now_ms(),
        )
        replace_file(self.folder / "commit.json", asdict(commit))
        return commit

    def history(self, commit: Commit | None) -> list[HistoryRecord]:
        """The schema history as of a commit."""
        if commit is None or commit.history_bytes == 0:
            return []
        path = self.folder / "history.jsonl"
        try:
            with path.open("rb") as file:
                text = file.read(commit.history_bytes)
        except OSError as error:
            raise ProgressError(f"the schema history {path} can't be read: {error}") from error
        if len(text) < commit.history_bytes:
            raise ProgressError(f"{path} is shorter than the {commit.history_bytes} bytes that were committed")
        return [json.loads(line) for line in text[commit.history_start :].splitlines()]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lane's lock."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("ab") as file:
            _lock(file.fileno(), self.folder)
            yield

    def _become_owner(self, before: Mapping[str, Any], commit: Commit | None, *, claimed: str | None) -> None:
        # also higher than the last commit's: if owner.json is lost, no earlier task may find its own epoch there again
        self.epoch = max(before.get("epoch", 0), commit.epoch if commit else 0) + 1
        owner = {"epoch": self.epoch, "run": self._run, "host": socket.gethostname(), "pid": os.getpid(), "claimed": claimed}
        replace_file(self.folder / "owner.json", owner)

    def _taken(self, owner: Mapping[str, Any]) -> FencedError:
        return FencedError(
            f"{self.folder} was taken over by process {owner.get('pid')} on {owner.get('host')}"
            + ("" if owner.get("run") == self._run else ", another run: only one may deliver to the same place")
        )

    def _owner(self) -> dict[str, Any]:
        try:
            owner: dict[str, Any] = json.loads((self.folder / "owner.json").read_bytes())
        except FileNotFoundError:
            return {}
        return owner

    def _checked(self, path: Path, fields: dict[str, Any]) -> Commit:
        if fields.get("format") != FORMAT:
            raise ProgressError(f"{path} has format {fields.get('format')!r}; this tailrace reads {FORMAT}")
        if fields["source"] != self._source:
            raise ProgressError(f"{path} is the progress of {fields['source']!r}, not of {self._source!r}")
        return Commit(**{**fields, "files": tuple(tuple(pair) for pair in fields["files"])})

    def _append_history(self, last: Commit | None, history: Sequence[HistoryRecord]) -> int:
        length = last.history_bytes if last else 0
        if not history:
            return length
        lines = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in history)
        with (self.folder / "history.jsonl").open("ab") as file:
            file.write(lines)
            file.flush()
            # before the record that counts these lines; after a crash in between the next owner cuts them off
            os.fsync(file.fileno())
        return length + len(lines)

    def _drop_uncommitted_history(self, commit: Commit | None) -> None:
        path = self.folder / "history.jsonl"
        committed = commit.history_bytes if commit else 0
        if path.exists() and path.stat().st_size > committed:
            os.truncate(path, committed)


@contextmanager
def room_on_disk(folder: Path) -> Iterator[None]:
    """Turn a full disk into a lost sink, so that the task retries until there is space."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise SinkLostError(f"no space is left on the disk of {folder} ({error.strerror}): free some") from error


def _history_start(last: Commit | None, *, replaces_history: bool) -> int:
    if last is None:
        return 0
    return last.history_bytes if replaces_history else last.history_start


def replace_file(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a file by JSON atomically: a reader, or a crash, sees the old or the new content."""
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        file.write(json.dumps(content, ensure_ascii=False).encode())
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_folder(path.parent)


def _lock(descriptor: int, folder: Path) -> None:
    """Lock, or raise that it can't be had now: a process that stands still may go on, or be ended."""
    if not lock(descriptor, PATIENCE_SECONDS):
        raise SinkLostError(stands_still(f"{folder}/lock", PATIENCE_SECONDS))
