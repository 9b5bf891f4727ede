"""Structures at a position, built again from the records of a schema history up to there.

They come from the records' table changes, or where there are none from their DDL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tailrace.connectors.mysql.structures import Structures
from tailrace.errors import StructureError
from tailrace.schema.history import CHARSET, UNKNOWN, HistoryRecord, parse_id, table_of


def rebuild(
    records: Iterable[HistoryRecord],
    structures: Structures,
    *,
    source: Mapping[str, Any] | None = None,
    wanted: Callable[[Mapping[str, Any]], bool] = lambda _position: True,
) -> Structures:
    """Applies records to `structures` and gives them back.

    Args:
        records: in the order in which they were written.
        structures: what they are applied to; usually empty.
        source: only records of this source count; None: of any.
        wanted: whether a record's position counts; see `at_or_before`.

    Raises:
        StructureError: a record can't be understood, or its DDL can't be.

    """
    for number, record in enumerate(records, 1):
        try:
            if (source is None or record["source"] == source) and wanted(record["position"]):
                _apply(record, structures, number)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StructureError(f"record {number} of the schema history is damaged: {error!r}") from error
    return structures


def at_or_before(desired: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a position is at or before the desired one, by file, offset, event and row (not by GTIDs)."""
    limit = _order(desired)
    base = str(desired.get("file", "")).rpartition(".")[0]

    def at_or_before_limit(position: Mapping[str, Any]) -> bool:
        if str(position.get("file", "")).rpartition(".")[0] != base:
            return True  # another server's numbers: better one record too many than one too few
        return _order(position) <= limit

    return at_or_before_limit


def _apply(record: HistoryRecord, structures: Structures, number: int) -> None:
    changes = record.get("tableChanges")
    if changes:
        for change in changes:
            _apply_change(change, structures)
    elif record.get("ddl"):
        at, charset = f"record {number} of the schema history", record["position"].get(CHARSET)
        structures.apply(record.get("databaseName") or "", record["ddl"], at=at, charset=charset)


def _apply_change(change: Mapping[str, Any], structures: Structures) -> None:
    table_id = parse_id(change["id"])
    if change["type"] == "DROP":
        (structures.forget if change.get(UNKNOWN) else structures.remove)(table_id)
        return
    if change.get("previousId"):
        structures.remove(parse_id(change["previousId"]))
    structures.put(table_of(table_id, change["table"], change.get("comment")))


def _order(position: Mapping[str, Any]) -> tuple[int, int, int, int]:
    number = str(position.get("file", "")).rpartition(".")[2]
    return (
        int(number) if number.isdigit() else 0,
        int(position.get("pos", 0)),
        int(position.get("event", 0)),
        int(position.get("row", 0)),
    )
