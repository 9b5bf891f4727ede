"""Images before updates that stand beside the new ones, in columns whose names have a prefix (BEFORE_IMG_PREFIX).

They count only if every column has one. The others of an image would be unknown, and an event has no way to say so: a null
would be taken for the value, and in a key for another row.

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table", "Structure of the CD table"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.schema.tables import Table

LARGE: Final = frozenset({"CLOB", "DBCLOB", "BLOB", "XML"})
"""Types whose values no change table has, before an update or after it."""


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
