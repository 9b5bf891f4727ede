"""The structures that a range of the log is read with, in the DataFrame way.

Some connectors find the structures that are new in a range when they plan it, others only when they read it. Of what was
planned, where a file keeps the schema history, the new ones stand in the offset that ends the range (`new_structures`); where
no file does, all that hold at an offset's position stand in it (`structures`). So a batch that Spark runs again is read with
what it was read with before, whatever was done to the tables since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.interface import Connector
from tailrace.errors import ProgressError
from tailrace.schema.history import HistoryFile
from tailrace.source.options import ReadJob
from tailrace.source.plans import packed_history, unpacked_history

STRUCTURES: Final = "structures"
NEW_STRUCTURES: Final = "new_structures"
KEPT: Final = 3  # records of a table: two capture instances at most are read side by side, and one tells that it is left
Offset = Mapping[str, Any]


def with_first_structures(
    job: ReadJob, connector: Connector, offset: Offset, history: Sequence[HistoryRecord]
) -> Offset:
    """The offset where a stream begins, with the structures there, where it is to keep them."""
    position = offset["position"]
    if job.history_file or connector.history_after(history, position, position, offset["now_us"]) is None:
        return offset
    return {**offset, STRUCTURES: packed_history(history)}


def with_structures(job: ReadJob, connector: Connector, start: Offset, end: Offset) -> Offset:
    """The end of a range, with what its readers are to know of structures, where that shows before it is read."""
    history = structures_at(job, connector, start)
    new = connector.history_after(history, start["position"], end["position"], end["now_us"])
    if new is None:
        return end
    if STRUCTURES in start and not job.history_file:
        return {**end, STRUCTURES: packed_history(_newest([*history, *new])) if new else start[STRUCTURES]}
    if STRUCTURES in start and job.history_file:
        HistoryFile(job.history_file).append(history)  # from now on the file has them
    _require_file(job)
    return {**end, NEW_STRUCTURES: packed_history(new)}


def carried(start: Offset) -> dict[str, Any]:
    """What an offset has of structures, for another one at the same position."""
    return {STRUCTURES: start[STRUCTURES]} if STRUCTURES in start else {}


def structures_at(
    job: ReadJob, connector: Connector, offset: Offset, planned: Sequence[HistoryRecord] | None = None
) -> Sequence[HistoryRecord]:
    """The schema history as of an offset, without those records that were `planned` for the range behind it.

    What a later range or a broken attempt has added to the file does not count.
    """
    if STRUCTURES in offset:
        return unpacked_history(offset[STRUCTURES])
    if not job.history_file or not Path(job.history_file).exists():
        return ()
    stored = connector.history_at(HistoryFile(job.history_file).load(), offset["position"])
    return [record for record in stored if record not in planned] if planned else stored


def planned_structures(end: Offset) -> Sequence[HistoryRecord] | None:
    """The structures that were found when the range was planned that ends here; None: nobody looked."""
    text = end.get(NEW_STRUCTURES) or end.get(STRUCTURES)
    return None if text is None else unpacked_history(text)


def _require_file(job: ReadJob) -> None:
    if not job.history_file or not Path(job.history_file).exists():
        raise ProgressError(
            "the checkpoint was begun with a file that keeps the structures of tables, and "
            + (f"{job.history_file} is not there" if job.history_file else "now none is named")
            + ": set schema.history.internal.file.filename to that file, or begin with a new checkpoint"
        )


def _newest(history: Sequence[HistoryRecord]) -> list[HistoryRecord]:
    """The last records of each table."""
    seen: Counter[str] = Counter()
    kept = []
    for record in reversed(history):
        tables = [str(change["id"]) for change in record.get("tableChanges") or ()]
        if any(seen[table] < KEPT for table in tables):
            kept.append(record)
        seen.update(tables)
    return kept[::-1]
