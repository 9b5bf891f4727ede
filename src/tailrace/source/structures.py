"""The structures with which a DataFrame reads a range of the log.

Some connectors find the new structures of a range when they plan it, others only when they read it. In the first case,
if a file keeps the schema history, the offset that ends the range has the new ones (`new_structures`); if
no file does, an offset has all structures of its position (`structures`). So a batch that Spark runs again is read with
the same structures, whatever happened to the tables since.
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
KEPT: Final = 3  # records of a table: at most two capture instances in parallel, and one that ends its capture
Offset = Mapping[str, Any]


def with_first_structures(
    job: ReadJob, connector: Connector, offset: Offset, history: Sequence[HistoryRecord]
) -> Offset:
    """The first offset of a stream, with the structures there, if offsets keep them."""
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


def carried_over(start: Offset) -> dict[str, Any]:
    """The structures of an offset, for another one at the same position."""
    return {STRUCTURES: start[STRUCTURES]} if STRUCTURES in start else {}


def structures_at(
    job: ReadJob, connector: Connector, offset: Offset, planned: Sequence[HistoryRecord] | None = None
) -> Sequence[HistoryRecord]:
    """The schema history as of an offset, without the records that were `planned` for the range after it.

    Records that a later range or a failed attempt has added to the file do not count.
    """
    if STRUCTURES in offset:
        return unpacked_history(offset[STRUCTURES])
    if not job.history_file or not Path(job.history_file).exists():
        return ()
    stored = connector.history_at(HistoryFile(job.history_file).load(), offset["position"])
    return [record for record in stored if record not in planned] if planned else stored


def planned_structures(end: Offset) -> Sequence[HistoryRecord] | None:
    """The new structures found when the range that ends here was planned; None: the connector does not look."""
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
