"""Bounds as SQL: each entry is cast to the column's own type, so that the server compares as its index does.

Text is compared by the database's collation, without regard to trailing blanks, as literals have the collation of the
database.
"""

from __future__ import annotations

import re
from typing import Any, Final

from tailrace.connectors.db2.connection import literal
from tailrace.connectors.db2.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Bound

_TYPE: Final = re.compile(r"[A-Z]+(\(\d+(, \d+)?\))?( FOR BIT DATA)?")
_HEX: Final = re.compile(r"([0-9A-F]{2})*")
_FORMS: Final = {
    Kind.DECIMAL: re.compile(r"-?\d{0,31}(\.\d{0,31})?"),
    Kind.BITS: _HEX,
    Kind.BYTES: _HEX,
    Kind.MOMENT: re.compile(r"\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d(\.\d{1,12})?"),
}
_CENTURIES: Final = 10_000


def literals(key: ChunkKey, bound: Bound) -> list[str]:
    """A bound's entries as SQL literals.

    Raises:
        ProgressError: it is not a bound of this key.

    """
    return key.literals(bound, _literal)


def shown(column: KeyColumn, entry: Any) -> Any:
    """An entry for people, as in notifications: dates and times with their separators, binary values as bytes."""
    if column.kind is Kind.DATE:
        return _date(entry)
    if column.kind is Kind.TIME:
        return _time(entry).replace(".", ":")
    return bytes.fromhex(entry) if column.kind in (Kind.BITS, Kind.BYTES) else entry


def _literal(column: KeyColumn, entry: Any) -> str:
    # Types and entries come from stored progress. Everything is checked before it becomes part of a statement.
    if not _TYPE.fullmatch(column.type):
        raise ProgressError(f"{column.type!r} is no type of a key column")
    if not _is_entry(column, entry):
        raise ProgressError(
            f"{entry!r} is no value of the key column {column.name}, which is of kind {column.kind.value}"
        )
    return f"CAST({_value(column, entry)} AS {column.type})"


def _value(column: KeyColumn, entry: Any) -> str:
    """An entry as a literal, before it is cast."""
    if column.kind in (Kind.INT, Kind.WHOLE):
        return str(entry)
    if column.kind is Kind.DATE:
        return f"'{_date(entry)}'"
    if column.kind is Kind.TIME:
        return f"'{_time(entry)}'"
    if column.kind is Kind.BITS:
        return f"X'{entry}'"
    if column.kind is Kind.BYTES:
        return f"BX'{entry}'"
    return literal(entry)


def _is_entry(column: KeyColumn, entry: Any) -> bool:
    if column.is_number:
        return isinstance(entry, int) and not isinstance(entry, bool)
    form = _FORMS.get(column.kind)
    return isinstance(entry, str) and (form is None or form.fullmatch(entry) is not None)


def _date(number: int) -> str:
    """20170915 as ISO text."""
    year, day = divmod(number, _CENTURIES)
    return f"{year:04}-{day // 100:02}-{day % 100:02}"


def _time(number: int) -> str:
    """10203 as Db2's ISO text, 01.02.03."""
    hour, rest = divmod(number, _CENTURIES)
    return f"{hour:02}.{rest // 100:02}.{rest % 100:02}"
