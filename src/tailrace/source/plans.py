"""What the offsets of the DataFrame way carry besides positions: JSON, packed, as Spark also writes it into its log."""

from __future__ import annotations

import base64
import lzma
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from tailrace.connectors.base import HistoryRecord
from tailrace.errors import ConfigError, ProgressError

LARGEST_PLAN: Final = 128 << 10  # bytes; 1,000 tables of 20 columns, very much alike, have 12 kB


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


def unpacked(plan: str) -> dict[str, Any]:
    """What was packed; raises `ProgressError` where it is damaged."""
    try:
        found: dict[str, Any] = orjson.loads(lzma.decompress(base64.b64decode(plan)))
    except (ValueError, lzma.LZMAError) as error:
        raise ProgressError(f"the plan in an offset of Spark's checkpoint is damaged: {error}") from error
    return found


def packed_history(history: Sequence[HistoryRecord]) -> str:
    """Structures as text; raises `ConfigError` where that is too large for offsets."""
    return packed(None, history)


def unpacked_history(text: str) -> Sequence[HistoryRecord]:
    """Structures that were packed."""
    records: Sequence[HistoryRecord] = unpacked(text)["history"]
    return records
