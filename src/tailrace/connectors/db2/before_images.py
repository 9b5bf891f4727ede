"""Images before updates that stand beside the new ones, in columns whose names have a prefix (BEFORE_IMG_PREFIX).

They count only if every column has one. The others of an image would be unknown, and an event has no way to say so: a null
would be taken for the value, and in a key for another row. Rows that are older than these columns have null in all of
them: a null where the source has none tells such a row, which has no image before.

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table", "Structure of the CD table"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.schema.tables import Table

LARGE: Final = frozenset({"CLOB", "DBCLOB", "BLOB", "XML"})
"""Types whose values no change table has, before an update or after it."""


def never_null(table: Table, types: Sequence[ColumnType]) -> tuple[int, ...]:
    """The numbers of those selected expressions, column after column, that are not null in any row of a table."""
    needed = {column.name for column in table.columns if not column.optional and column.type_name not in LARGE}
    names = [each.name for each in types for _ in range(each.width)]
    return tuple(number for number, name in enumerate(names) if name in needed)


def old_names(table: Table, instance: Instance) -> Mapping[str, str]:
    """For each captured column of a table the one with its value before an update; empty unless all of them have one."""
    if not instance.before_prefix:
        return {}
    captured = frozenset(instance.columns)
    own = frozenset(column.name for column in table.columns)
    found = {
        column.name: f"{instance.before_prefix}{column.name}"
        for column in table.columns
        if column.name in captured and column.type_name not in LARGE
    }
    return found if captured - own >= set(found.values()) else {}
