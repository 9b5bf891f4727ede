"""What a configuration says of `ReselectColumnsPostProcessor`; plain data, which is sent to the executors."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from attrs import frozen

from tailrace.config.property import Kind, Property
from tailrace.java_patterns import compile_java
from tailrace.schema.tables import TableId

RESELECT: Final = "io.debezium.processors.reselect.ReselectColumnsPostProcessor"
RESELECT_PROPERTIES: Final = (
    Property(
        name="reselect.columns.include.list",
        kind=Kind.LIST,
        doc="Expressions for the columns that are read again: `schema.table:column`, or `database.table:column` where "
        "there are no schemas; absent: all.",
    ),
    Property(
        name="reselect.columns.exclude.list",
        kind=Kind.LIST,
        doc="The same for those that are not; it has no effect beside the list above.",
    ),
    Property(
        name="reselect.unavailable.values",
        kind=Kind.BOOL,
        default=True,
        doc="Whether values are read again for which `unavailable.value.placeholder` stands.",
    ),
    Property(name="reselect.null.values", kind=Kind.BOOL, default=True, doc="Whether nulls are read again."),
    Property(
        name="reselect.use.event.key",
        kind=Kind.BOOL,
        default=False,
        doc="Whether rows are found by the key of their events (`message.key.columns`) instead of the primary key.",
    ),
    Property(
        name="reselect.error.handling.mode",
        kind=Kind.ENUM,
        default="WARN",
        allowed=("WARN", "FAIL"),
        doc="What happens if a row is not there any more, or can't be read: the event stays as it is and a warning is logged, "
        "or the connector stops.",
    ),
)


@frozen(kw_only=True)
class Reselection:
    """Which values are read again from the database.

    Attributes:
        alias: the name in `post.processors`.
        includes: expressions for columns; empty for all.
        excludes: those for columns that are left alone, if `includes` is empty.
        unavailable: whether placeholders are replaced.
        nulls: whether nulls are.
        by_event_key: whether the event's key finds a row; else the primary key.
        fails: whether a row that is not found stops the connector.

    """

    alias: str
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    unavailable: bool = True
    nulls: bool = True
    by_event_key: bool = False
    fails: bool = False

    def takes(self, table: TableId, column: str) -> bool:
        """Whether a column's values may be read again."""
        name = f"{table.schema or table.catalog}.{table.name}:{column}"
        if self.includes:
            return _matches(self.includes, name)
        return not _matches(self.excludes, name)


@lru_cache(maxsize=10_000)
def _matches(expressions: tuple[str, ...], name: str) -> bool:
    return any(compile_java(each).fullmatch(name) for each in expressions)
