"""Capture instances: which columns of which table a change table has, and from which LSN on.

A table may have two, the older one for the time before the newer one begins. Starts tell that order, until somebody cleans
up the older one alone: then it may start behind the newer one. So the times at which instances were made count, too. They are
local ones.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.errors import StructureError
from tailrace.schema.tables import Table, TableId

VERSION: Final = "+"
"""Begins an instance's `version`."""
_SET_BACK: Final = dt.timedelta(hours=1)  # of a clock in autumn: times that are closer tell no order


@dataclass(frozen=True, slots=True)
class Instance:
    """A capture instance: one change table of a source table, which may have several.

    Attributes:
        table: the source table.
        name: of the instance.
        object_id: of its change table; it is never used again.
        source_object_id: of the source table.
        change_table: its name, in the dialect's form.
        start_lsn: from which on it has changes; None until capture has read that it was enabled.
        create_date: when it was enabled, in the server's local time.
        columns: the captured columns, in their order.
        index_columns: those that identify a row: of the primary key or of the unique index that was named; may be
            empty. A change of one of them comes as a delete and an insert, never as the two rows of an update.
        index_name: that index, if nobody can drop or disable it while the instance is there; "": there is none such.
        role: the gating role that may read it; None: everyone with SELECT.
        version: tells the columns apart that a change table has over time, if it can be altered.
        inactive: why capture does not write to it now; "": it does.
        before_prefix: begins the names of columns with the image before an update, where a row has both images.
        source_made: when the source table was made, in the server's local time, where its number does not tell it from a
            later one of its name.

    """

    table: TableId
    name: str
    object_id: int
    source_object_id: int
    change_table: str
    start_lsn: Lsn | None
    create_date: dt.datetime
    columns: tuple[str, ...]
    index_columns: tuple[str, ...]
    index_name: str = ""
    role: str | None = None
    version: str = ""
    inactive: str = ""
    before_prefix: str = ""
    source_made: dt.datetime | None = None

    @property
    def source(self) -> tuple[int, dt.datetime | None]:
        """Tells the source table from another one that gets its name."""
        return self.source_object_id, self.source_made

    @property
    def order(self) -> tuple[bool, bytes, dt.datetime, int]:
        """The sort key for the reading order of a table's instances; one without a start comes last."""
        start = b"" if self.start_lsn is None else self.start_lsn.raw
        return self.start_lsn is None, start, self.create_date, self.object_id

    def has_begun(self, until: Lsn) -> bool:
        """Whether it has changes at the end of a window."""
        return self.start_lsn is not None and self.start_lsn <= until

    def was_made_before(self, other: Instance) -> bool:
        """Whether it is certain to be older than another one."""
        return self.create_date + _SET_BACK < other.create_date


def identity(instance: Instance) -> str:
    """Identifies a capture instance and its columns, even if a later one in the database gets its name."""
    return f"{instance.name}:{instance.object_id}{instance.version}"


def is_of(identity_: str, instance: Instance) -> bool:
    """Whether an `identity` is that of the instance, maybe with other columns."""
    name, _, rest = identity_.rpartition(":")
    number, _, _ = rest.partition(VERSION)
    return (name, number) == (instance.name, str(instance.object_id))


def name_of(identity_: str) -> str:
    """The instance's name in an `identity`."""
    return identity_.rpartition(":")[0]


def of_instance(table: Table | None, instance: Instance) -> Table:
    """The structure of an instance's rows: the captured columns of its source table.

    Raises:
        StructureError: the source table was dropped.

    """
    if table is None:
        raise StructureError(
            f"{instance.table} is gone, whose changes the capture instance {instance.name} has: its structure is not "
            "known any more. Take the table out of table.include.list"
        )
    captured = frozenset(instance.columns)
    columns = tuple(column for column in table.columns if column.name in captured)
    return replace(table, columns=columns, primary_key=tuple(name for name in table.primary_key if name in captured))


def not_captured(table: Table, instance: Instance) -> tuple[str, ...]:
    """The columns of a table that a capture instance does not capture."""
    captured = frozenset(instance.columns)
    return tuple(column.name for column in table.columns if column.name not in captured)


def in_use(instances: Iterable[Instance]) -> list[Instance]:
    """Those that are read: an older one is not, where a newer one of its table starts no later. They are in reading order."""
    found: list[Instance] = []
    for _, its in groupby(instances, key=lambda each: each.table):
        found += _without_replaced(its)
    return found


def instances_at(instances: Iterable[Instance], point: Lsn) -> dict[TableId, Instance]:
    """Of each table the newest instance with all changes after a position; `instances` are in reading order."""
    # An instance that starts at the very next LSN has everything after the point.
    return {each.table: each for each in in_use(each for each in instances if each.has_begun(point.next()))}


def _without_replaced(instances: Iterable[Instance]) -> list[Instance]:
    """Those of one table's, in reading order, that are read."""
    kept: list[Instance] = []
    for each in instances:
        if each.start_lsn is not None:
            if any(each.was_made_before(other) for other in kept):
                continue
            # Of instances with the same start the newest, as in Debezium.
            kept = [other for other in kept if other.start_lsn != each.start_lsn]
        kept.append(each)
    return kept
