"""Files: one folder per topic, lines of JSON, each committed line exactly once, whatever is killed at any time.

    DIR/inventory.shop.orders/0000000000000042-lane0.jsonl
    DIR/_tailrace/lane-0/                                     progress, structures, files not committed yet

A commit makes one new file for each topic that has new records. Files are never appended to: a file that a
reader can see is complete and final, so a reader needs no rule about what counts. The price is the number of
files, which the task keeps low by committing about once a second, or when there is enough.

A commit has three steps: the files are written under names of this attempt (`_tailrace/lane-0/epoch-7/`) and synced
to disk; one rename stores the record that names them together with the progress; then they are moved to where
readers look. A crash before the record leaves only temporary files, which the next owner removes; a crash after it
leaves unfinished moves, which the next owner completes first. A file's name begins with the number of the commit, so
that names sort in log order.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from tailrace.changes.records import Records
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.durable_files import sync_folder
from tailrace.errors import ProgressError
from tailrace.sinks.base import RecordedState
from tailrace.sinks.lane_record import Commit, room_on_disk
from tailrace.sinks.one_lane import OneLaneSink

OWN_FOLDER = "_tailrace"
SUFFIX = ".jsonl"
SPILL_BYTES = 1 << 20  # buffered per topic before it goes to its file
LONGEST_NAME = 200


class FilesSink(OneLaneSink):
    """The sink for one task: a lane's files below `folder`."""

    def __init__(self, folder: Path, source: str, run: str) -> None:
        super().__init__(folder / OWN_FOLDER, source, run)
        self._folder = folder
        self._lane = 0
        self._pending: dict[str, _PendingFile] = {}

    def open(self, lane: int) -> RecordedState:
        """Take the lane over, finish the last commit and remove uncommitted files."""
        self._lane = lane
        return super().open(lane)

    def write(self, records: Sequence[Records]) -> int:
        """Append lines to the topics' next files."""
        from tailrace.sinks.lines import render_lines

        size = 0
        for item in records:
            lines = render_lines(item)
            if len(lines.data):
                pending = self._pending_file(item.topic)
                pending.append(lines.data.tobytes())
                size += len(lines.data)
                if pending.held >= SPILL_BYTES:
                    with room_on_disk(self._folder):
                        self._while_owner(pending.spill)
        return size

    def commit(self, progress: Progress, history: Sequence[HistoryRecord]) -> None:
        """Publish the files and store the progress, atomically."""
        with room_on_disk(self._folder):
            for pending in self._pending.values():
                self._while_owner(pending.finish)
            files = [self._names(topic, pending) for topic, pending in self._pending.items()]
            with self._record.locked():
                self._last = self._record.store(self._last, progress, history, files)
                self._publish(self._last)  # after the record: from there on `open` would complete the moves
        self._pending.clear()

    def close(self) -> None:
        """Drop what is not committed."""
        self._pending.clear()
        if self._record.epoch:
            shutil.rmtree(self._own_folder(), ignore_errors=True)

    def _tidy(self, last: Commit | None) -> None:
        if last is None:
            self._refuse_foreign_files()
        else:
            self._publish(last)  # a crash may have interrupted the moves of the last commit
        for folder in self._record.folder.glob("epoch-*"):
            shutil.rmtree(folder, ignore_errors=True)
        self._own_folder().mkdir()

    def _own_folder(self) -> Path:
        return self._record.folder / f"epoch-{self._record.epoch}"

    def _pending_file(self, topic: str) -> _PendingFile:
        pending = self._pending.get(topic)
        if pending is None:
            # the number keeps the next commit's files apart from the last one's, which the next owner may move again
            name = f"{self._next_number():016d}-{len(self._pending)}{SUFFIX}"
            pending = _PendingFile(self._own_folder() / name)
            self._pending[topic] = pending
        return pending

    def _next_number(self) -> int:
        return self._last.number + 1 if self._last else 1

    def _names(self, topic: str, pending: _PendingFile) -> tuple[str, str]:
        name = f"{topic_folder(topic)}/{self._next_number():016d}-lane{self._lane}{SUFFIX}"
        return str(pending.path.relative_to(self._folder)), name

    def _publish(self, commit: Commit) -> None:
        """Move the files of a commit to where readers look; missing ones were moved before."""
        folders = set()
        for written, seen in commit.files:
            target = self._folder / seen
            if not target.parent.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                folders.add(self._folder)
            try:
                (self._folder / written).rename(target)
            except FileNotFoundError:
                continue
            folders.add(target.parent)
        for folder in folders:
            sync_folder(folder)

    def _refuse_foreign_files(self) -> None:
        found = next(self._folder.glob(f"*/*-lane{self._lane}{SUFFIX}"), None)
        if found is not None:
            raise ProgressError(
                f"{self._folder} holds files ({found.relative_to(self._folder)}) but no progress: "
                f"{OWN_FOLDER} was removed; deliver to an empty folder, or move the files away"
            )

    def _while_owner(self, step: Callable[[], None]) -> None:
        """Run a step that fails on missing folders once another task has taken over and removed them."""
        try:
            step()
        except FileNotFoundError as error:
            with self._record.locked():
                self._record.check_owner()
            raise ProgressError(f"{error.filename} has vanished while tailrace was writing it") from error


class _PendingFile:
    """A topic's next file: buffered up to a size, then appended to, synced at the commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.held = 0
        self._chunks: list[bytes] = []

    def append(self, lines: bytes) -> None:
        self._chunks.append(lines)
        self.held += len(lines)

    def spill(self) -> None:
        """Write the buffer to the file."""
        self._write(sync=False)

    def finish(self) -> None:
        """Write everything and sync it to disk."""
        self._write(sync=True)

    def _write(self, *, sync: bool) -> None:
        with self.path.open("ab") as file:
            file.writelines(self._chunks)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        self._chunks.clear()
        self.held = 0


def topic_folder(topic: str) -> str:
    """The name of a topic's folder: the topic's, if that is a valid folder name."""
    name = quote(topic, safe="-_ ")
    if name.startswith(".") or name == OWN_FOLDER:
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}~{sha256(topic.encode()).hexdigest()[:16]}"
    return name
