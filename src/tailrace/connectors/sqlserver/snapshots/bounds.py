"""Bounds as T-SQL: each entry is cast to the column's own type, so that the server compares as its index does.

A length that varies is the greatest one there. A text has the column's collation.
"""

from __future__ import annotations

import re
from typing import Any, Final

from tailrace.connectors.sqlserver.connection import literal
from tailrace.connectors.sqlserver.snapshots.keys import VARYING, ChunkKey, KeyColumn, Kind
from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Bound

_COLLATION: Final = re.compile(r"\w+", re.ASCII)
_TYPE: Final = re.compile(r"[a-z0-9]+(\(\d+(, \d+)?\))?")
_FORMS: Final = {
    Kind.DECIMAL: re.compile(r"-?\d{0,38}(\.\d{1,38})?"),
    Kind.MONEY: re.compile(r"-?\d{0,19}(\.\d{1,4})?"),
    Kind.BYTES: re.compile(r"([0-9A-F]{2})*"),
    Kind.GUID: re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}"),
    Kind.DATE: re.compile(r"\d{4}-\d\d-\d\d"),
    Kind.TIME: re.compile(r"\d\d:\d\d:\d\d(\.\d{1,7})?"),
    Kind.MOMENT: re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?([+-]\d\d:\d\d|Z)?"),
}


def literals(key: ChunkKey, bound: Bound) -> list[str]:
    """A bound's entries as SQL literals.

    Raises:
        ProgressError: it is not a bound of this key.

    """
    return key.literals(bound, _literal)


def _literal(column: KeyColumn, entry: Any) -> str:
    # Types and entries come from stored progress. Everything is checked before it becomes part of a statement.
    if not _TYPE.fullmatch(column.type):
        raise ProgressError(f"{column.type!r} is no type of a key column")
    if not _is_entry(column, entry):
        raise ProgressError(
            f"{entry!r} is no value of the key column {column.name}, which is of kind {column.kind.value}"
        )
    name = column.type.partition("(")[0]
    # As long as can be: the column may have become longer since the key was stored.
    type_ = f"{name}({VARYING[name]})" if name in VARYING else column.type
    if column.is_number:
        return f"CAST({entry} AS {type_})"
    if column.kind is Kind.BYTES:
        return f"CAST(0x{entry} AS {type_})"
    if column.kind is not Kind.TEXT:
        return f"CAST('{entry}' AS {type_})"
    collation = str(column.collation)
    if not _COLLATION.fullmatch(collation):
        raise ProgressError(f"{collation!r} is no name of a collation")
    return f"CAST({literal(entry)} COLLATE {collation} AS {type_}) COLLATE {collation}"


def _is_entry(column: KeyColumn, entry: Any) -> bool:
    if column.is_number:
        return isinstance(entry, int) and not isinstance(entry, bool)
    form = _FORMS.get(column.kind)
    return isinstance(entry, str) and (form is None or form.fullmatch(entry) is not None)
