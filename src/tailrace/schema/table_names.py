"""Parses table names as people write them: parts separated by dots, quoted if necessary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tailrace.schema.tables import TableId

_QUOTED: Final = r"""\s*(?:"(?P<double>(?:[^"]|"")*)"|'(?P<single>(?:[^']|'')*)'|`(?P<back>(?:[^`]|``)*)`"""
_BRACKETED: Final = r"|\[(?P<bracket>(?:[^\]]|\]\])*)\]"
_PLAIN: Final = r"""|(?P<plain>[^\s."'`][^\s.]*))\s*(?:(?P<more>\.)|\Z)"""
_PART: Final = re.compile(_QUOTED + _PLAIN)
_PART_OR_BRACKETS: Final = re.compile(_QUOTED + _BRACKETED + _PLAIN)
QUOTES: Final = {"double": '"', "single": "'", "back": "`"}
_ENDS: Final = {**QUOTES, "bracket": "]"}


def table_id(name: str, *, brackets: bool = False) -> TableId:
    """Parse a name of up to three parts; with `brackets` a part may also be quoted as `[part]`.

    The first of two parts is taken for the catalog, as in MySQL.

    Raises:
        ValueError: it is not a table name.

    """
    parts = list(_parts(name, _PART_OR_BRACKETS if brackets else _PART))
    if len(parts) == 1:
        return TableId("", "", parts[0])
    return TableId(parts[0], "" if len(parts) == 2 else parts[1], parts[-1])


def in_database(name: str, database: str) -> str:
    """The full name of a table of the only database, given as `schema.table` or in full. Raises as `table_id`."""
    table = table_id(name)
    if table.schema or not table.catalog:
        return name
    return ".".join(_quoted(part) for part in (database, table.catalog, table.name))


def signal_tables(names: Iterable[str]) -> tuple[TableId, ...]:
    """The tables of `signal.data.collection`; the names are literal and case-sensitive. Raises as `table_id`."""
    return tuple(map(table_id, names))


def _quoted(part: str) -> str:
    return '"' + part.replace('"', '""') + '"'


def _parts(name: str, part: re.Pattern[str]) -> Iterator[str]:
    at, count, more = 0, 0, True
    while more:
        found = part.match(name, at)
        if found is None or count == 3:
            raise ValueError(f"{name!r} is not the name of a table")
        yield _unquoted(found)
        at, count, more = found.end(), count + 1, found["more"] is not None


def _unquoted(found: re.Match[str]) -> str:
    kind = next(kind for kind in (*_ENDS, "plain") if found.groupdict().get(kind) is not None)
    quote = _ENDS.get(kind, "")
    text = found[kind]
    return text.replace(quote * 2, quote) if quote else text
