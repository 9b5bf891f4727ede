"""What a DataFrame begins with: the tables as of one position, if it is to have them, and then the log from there on.

As long as the snapshot lasts an offset has, beside its position P,

- `plan`: the tables and, where no file keeps the schema history, their structures at P. It is the same in all of these
  offsets, since Spark keeps no other place for it, and packed, since Spark also writes offsets into its log;
- `parts`: what the batch that ends here reads, each part by a task of its own. What a batch holds follows from its two
  offsets alone, so that it can be run again;
- `reached`: how far the snapshot is in parts; null when it is all in them, and the log is next.

A snapshot that a signal asks for on the way has the same members (`signalled.py`). Then the batch that takes its position
has the log up to there, and maybe parts as of there.
"""

from __future__ import annotations

import base64
import lzma
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from tailrace.connectors.base import HistoryRecord, RangeConnector, StartPoint
from tailrace.errors import ConfigError, ProgressError
from tailrace.schema.history import HistoryFile
from tailrace.source.options import ReadJob

Offset = Mapping[str, Any]
LARGEST_PLAN: Final = 128 << 10  # bytes; 1,000 tables of 20 columns, very much alike, have 12 kB


def offset_at(position: Mapping[str, Any]) -> Offset:
    """The offset of a batch that is planned now."""
    return {"position": position, "now_us": time.time_ns() // 1000}


def begin(job: ReadJob, connector: RangeConnector, max_bytes: int | None) -> Offset:
    """The end of the first batch: it fixes where the stream begins; its structures begin the history file, if there is one.

    Raises:
        ConfigError: the structures are too large for offsets, and there is no file.

    """
    if not job.with_snapshot:
        point = connector.start_point()
        _keep(job, point.history)
        return offset_at(point.restart)
    time.sleep(job.snapshot_delay_seconds)
    point = connector.snapshot_point()
    _keep(job, point.history)
    plan = packed(point.snapshot, () if job.history_file else point.history)
    return _step(job, connector, offset_at(point.restart), plan, None, max_bytes)


def next_parts(job: ReadJob, connector: RangeConnector, start: Offset, max_bytes: int | None) -> Offset | None:
    """The end of the next batch of the snapshot; None where there is no batch of it any more."""
    snapshot = start.get("snapshot")
    if snapshot is None or snapshot["reached"] is None:
        return None
    kept = {"signalled": start["signalled"]} if "signalled" in start else {}
    offset = {**offset_at(start["position"]), **kept}
    return _step(job, connector, offset, snapshot["plan"], snapshot["reached"], max_bytes)


def planned_history(offset: Offset) -> Sequence[HistoryRecord]:
    """The structures at P that an offset has; none where a file keeps them."""
    snapshot = offset.get("snapshot")
    return () if snapshot is None else _unpacked(snapshot["plan"])["history"]


def packed(snapshot: Mapping[str, Any] | None, history: Sequence[HistoryRecord]) -> str:
    """A plan as text; raises `ConfigError` where that is too large for offsets."""
    plan = lzma.compress(orjson.dumps({"snapshot": snapshot, "history": history}))
    text = base64.b64encode(plan).decode()
    if len(text) > LARGEST_PLAN:
        tables = sum(bool(record.get("tableChanges")) for record in history)
        raise ConfigError(
            f"the structures of {tables} tables are {len(text) >> 10} kB, and at most {LARGEST_PLAN >> 10} kB fit into each "
            "offset of Spark's checkpoint: set schema.history.internal.file.filename to a file that the driver and all "
            "executors reach"
        )
    return text


def _step(
    job: ReadJob,
    connector: RangeConnector,
    offset: Offset,
    plan: str,
    reached: Mapping[str, Any] | None,
    max_bytes: int | None,
) -> Offset:
    point = StartPoint(offset["position"], (), _unpacked(plan)["snapshot"])
    step = connector.next_parts(point, reached, job.parts, max_bytes)
    return {**offset, "snapshot": {"plan": plan, "parts": list(step.parts), "reached": step.reached}}


def _keep(job: ReadJob, history: Sequence[HistoryRecord]) -> None:
    if job.history_file:
        HistoryFile(job.history_file).append(history)


def _unpacked(plan: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = orjson.loads(lzma.decompress(base64.b64decode(plan)))
    except (ValueError, lzma.LZMAError) as error:
        raise ProgressError(f"the snapshot's plan in Spark's checkpoint is damaged: {error}") from error
    return found
