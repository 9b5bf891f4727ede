"""Names of tables as people write them: parts with dots between, in quotes where a part needs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tailrace.schema.tables import TableId

_PART: Final = re.compile(
    r"""\s*(?:"(?P<double>(?:[^"]|"")*)"|'(?P<single>(?:[^']|'')*)'|`(?P<back>(?:[^`]|``)*)`|(?P<plain>[^\s."'`][^\s.]*))"""
    r"\s*(?:(?P<more>\.)|\Z)"
)
QUOTES: Final = {"double": '"', "single": "'", "back": "`"}


def table_id(name: str) -> TableId:
    """The id that a name with dots, and quotes where it needs them, stands for.

    Raises:
        ValueError: it is no such name.

    """
    parts = list(_parts(name))
    if len(parts) == 1:
        return TableId("", "", parts[0])
    return TableId(parts[0], "" if len(parts) == 2 else parts[1], parts[-1])


def signal_tables(names: Iterable[str]) -> tuple[TableId, ...]:
    """The tables of `signal.data.collection`; they are meant literally, and case counts. Raises as `table_id`."""
    return tuple(map(table_id, names))


def _parts(name: str) -> Iterator[str]:
    at, count, more = 0, 0, True
    while more:
        found = _PART.match(name, at)
        if found is None or count == 3:
            raise ValueError(f"{name!r} is not the name of a table")
        yield _unquoted(found)
        at, count, more = found.end(), count + 1, found["more"] is not None


def _unquoted(found: re.Match[str]) -> str:
    kind = next(kind for kind in (*QUOTES, "plain") if found[kind] is not None)
    quote = QUOTES.get(kind, "")
    text = found[kind]
    return text.replace(quote * 2, quote) if quote else text
