"""Converts Debezium's offsets of change tables to positions, and positions to offsets from which Debezium resumes.

An offset is the commit LSN and the change LSN of the last event, and how many rows with these were sent. Debezium reads
all tables in parallel, so within that transaction it has delivered everything with a smaller change LSN, in all tables;
the same is left out here. In the other direction only the end of a window can be expressed: within a window, each table
has another position.

The records of transaction metadata have an offset, too: that of the event that comes after them, which was not sent yet. Such
an offset names another transaction as the one in progress (an END), or has counted nothing of it (a BEGIN).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition, RowPosition
from tailrace.connectors.change_tables.told_transactions import in_offset, told_of, transaction_of
from tailrace.connectors.shared.incremental_offsets import refuse_incremental_snapshot
from tailrace.errors import ProgressError

Offset = Mapping[str, Any]

_NULL: Final = "NULL"  # Debezium's text for a missing LSN


def position_of(lsns: LsnForm, offset: Offset, *, counts: bool) -> DatabasePosition:
    """The position of an offset; `counts`: with transaction metadata (`provide.transaction.metadata`).

    Raises:
        ProgressError: it is from an unfinished snapshot, or is not an offset.

    """
    refuse_incremental_snapshot(offset)
    if offset.get("snapshot") not in {None, False, "false"} and offset.get("snapshot_completed") not in {True, "true"}:
        raise ProgressError(
            "Debezium's offset was written within a snapshot: let Debezium finish it, then stop it and take its offset again"
        )
    commit, change = _lsn(lsns, offset.get("commit_lsn")), _lsn(lsns, offset.get("change_lsn"))
    if commit is None:
        raise ProgressError(f"Debezium's offset names no commit LSN: {dict(offset)!r}")
    if change is None or change == lsns.highest:
        return DatabasePosition(commit)
    # The transaction is read again from its beginning, as its tables are read one after the other.
    begin = DatabasePosition(commit.previous())
    place = RowPosition(commit, 0, change, 0, int(offset.get("event_serial_no") or 0))
    if not counts:
        return replace(begin, taken_over=place)
    if transaction_of(offset) not in {None, offset["commit_lsn"]}:
        return begin  # the END of the transaction before was the last record, and nothing of this one was sent
    told = told_of(offset)
    if told.is_begun and not told.counts:
        place = RowPosition(commit, 0, lsns.zero, 0, 0)  # the BEGIN was the last record
    return replace(begin, taken_over=place, told=told)


def offset_of(lsns: LsnForm, name: str, position: DatabasePosition) -> dict[str, Any]:
    """The offset of a position in the database of that name.

    Debezium begins with the commit in the offset, and skips what is not after the offset's change LSN.

    Raises:
        ProgressError: no offset can express this position; the message says what to do.

    """
    if position.until is not None:
        raise ProgressError(
            f"the position in {name} lies within a window of the log, where each table is somewhere else, and Debezium's "
            "offset has one place for all: read on first (tailrace run ... --available-now), and export again"
        )
    if position.taken_over is not None:
        at = position.taken_over
        offset = {"event_serial_no": at.serial, "commit_lsn": at.commit.text, "change_lsn": at.change.text}
        return offset if position.told is None else {**offset, **in_offset(position.told, at.commit.text)}
    return {"event_serial_no": 1, "commit_lsn": position.lsn.text, "change_lsn": lsns.highest.text}


def history_of(lsns: LsnForm, records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> list[HistoryRecord]:
    """The records of a schema history up to the offsets."""
    zero = lsns.zero
    found = (_lsn(lsns, offset.get("commit_lsn")) for offset in offsets)
    last = max((lsn for lsn in found if lsn is not None), default=zero)
    return [record for record in records if (_lsn(lsns, record["position"].get("commit_lsn")) or zero) <= last]


def _lsn(lsns: LsnForm, text: Any) -> Lsn | None:
    return None if text in {None, "", _NULL} else lsns.parse(str(text))
