"""What a DataFrame's offsets carry besides positions: JSON, compressed, since Spark also writes it into its log."""

from __future__ import annotations

import base64
import lzma
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from tailrace.connectors.base import HistoryRecord
from tailrace.errors import ConfigError, ProgressError

LARGEST_PLAN: Final = 128 << 10  # bytes; 1,000 similar tables of 20 columns take 12 kB


def packed(snapshot: Mapping[str, Any] | None, history: Sequence[HistoryRecord]) -> str:
    """A plan as compressed text; raises `ConfigError` if that is too large for offsets."""
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
    """Parse a packed plan; raises `ProgressError` if it is damaged."""
    try:
        found: dict[str, Any] = orjson.loads(lzma.decompress(base64.b64decode(plan)))
    except (ValueError, lzma.LZMAError) as error:
        raise ProgressError(f"the plan in an offset of Spark's checkpoint is damaged: {error}") from error
    return found


def packed_history(history: Sequence[HistoryRecord]) -> str:
    """Structures as compressed text; raises `ConfigError` if that is too large for offsets."""
    return packed(None, history)


def unpacked_history(text: str) -> Sequence[HistoryRecord]:
    """Parse packed structures."""
    records: Sequence[HistoryRecord] = unpacked(text)["history"]
    return records
