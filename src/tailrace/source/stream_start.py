"""The beginning of a DataFrame's stream: the tables as of one position, if requested, and then the log from there on.

During the snapshot an offset has, beside its position P,

- `plan`: the tables and, if no file keeps the schema history, their structures at P. It is the same in all of these
  offsets, since Spark has no other place for it, and compressed, since Spark also writes offsets into its log;
- `parts`: what the batch that ends here reads, each part by a separate task. A batch follows from its two
  offsets alone, so that it can run again;
- `reached`: how much of the snapshot is in parts so far; null if all of it is, and the log is next.

A snapshot that a signal requests later has the same members (`requested_work.py`). The batch that fixes its position
then has the log up to that position, and possibly parts as of it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, StartPoint
from tailrace.connectors.interface import Connector
from tailrace.schema.history import HistoryFile
from tailrace.source.options import ReadJob
from tailrace.source.plans import packed, unpacked
from tailrace.source.structures import STRUCTURES, Offset, carried_over, with_first_structures


def offset_at(position: Mapping[str, Any]) -> Offset:
    """The offset of a batch that is planned now."""
    return {"position": position, "now_us": epoch.now_us()}


def begin(job: ReadJob, connector: Connector, max_bytes: int | None) -> Offset:
    """The end of the first batch: it fixes where the stream begins; its structures begin the history file, if there is one.

    Raises:
        ConfigError: the structures are too large for offsets, and there is no file.

    """
    if not job.with_snapshot:
        point = connector.start_point()
        _keep(job, point.history)
        return with_first_structures(job, connector, offset_at(point.restart), point.history)
    time.sleep(job.snapshot_delay_seconds)
    point = connector.snapshot_point()
    _keep(job, point.history)
    offset = with_first_structures(job, connector, offset_at(point.restart), point.history)
    plan = packed(point.snapshot, () if job.history_file or STRUCTURES in offset else point.history)
    return _step(job, connector, offset, plan, None, max_bytes)


def next_parts(job: ReadJob, connector: Connector, start: Offset, max_bytes: int | None) -> Offset | None:
    """The end of the snapshot's next batch; None if no batch is left."""
    snapshot = start.get("snapshot")
    if snapshot is None or snapshot["reached"] is None:
        return None
    kept = {"signalled": start["signalled"]} if "signalled" in start else {}
    offset = {**offset_at(start["position"]), **carried_over(start), **kept}
    return _step(job, connector, offset, snapshot["plan"], snapshot["reached"], max_bytes)


def planned_history(offset: Offset) -> Sequence[HistoryRecord]:
    """The structures at P in an offset; none if a file keeps them."""
    snapshot = offset.get("snapshot")
    return () if snapshot is None else unpacked(snapshot["plan"])["history"]


def _step(
    job: ReadJob,
    connector: Connector,
    offset: Offset,
    plan: str,
    reached: Mapping[str, Any] | None,
    max_bytes: int | None,
) -> Offset:
    point = StartPoint(offset["position"], (), unpacked(plan)["snapshot"])
    step = connector.next_parts(point, reached, job.parts, max_bytes)
    return {**offset, "snapshot": {"plan": plan, "parts": list(step.parts), "reached": step.reached}}


def _keep(job: ReadJob, history: Sequence[HistoryRecord]) -> None:
    if job.history_file and not HistoryFile(job.history_file).append(history):
        Path(job.history_file).parent.mkdir(parents=True, exist_ok=True)
        Path(job.history_file).touch()  # it is there, and has nothing
