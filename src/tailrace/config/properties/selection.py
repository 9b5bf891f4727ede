"""Which databases, tables, columns and operations are captured, and how column values are changed."""

from __future__ import annotations

import re

from tailrace.config.property import Family, Kind, Property, Status

GROUP = "Tables, columns and operations"


def _databases(which: str, doc: str, old: str) -> Property:
    return Property(name=f"database.{which}.list", kind=Kind.REGEXES, aliases=(f"database.{old}",), doc=doc)


DATABASES = (
    _databases("include", "Databases to capture; without it all but the excluded and the system schemas.", "whitelist"),
    _databases("exclude", "Databases to leave out.", "blacklist"),
)


def properties(table: str, system: str) -> tuple[Property, ...]:
    """The properties of all connectors; `table` is how lists name a table, `system` what is never captured."""
    return (
        Property(
            name="table.include.list",
            kind=Kind.REGEXES,
            aliases=("table.whitelist",),
            doc=f"Tables to capture, as `{table}`.",
        ),
        Property(
            name="table.exclude.list",
            kind=Kind.REGEXES,
            aliases=("table.blacklist",),
            doc=f"Tables to leave out, as `{table}`.",
        ),
        Property(
            name="table.ignore.builtin",
            kind=Kind.BOOL,
            default=True,
            status=Status.REFUSED,
            doc=f"Whether what belongs to the database itself is left out: {system}.",
        ),
        Property(
            name="column.include.list",
            kind=Kind.REGEXES,
            aliases=("column.whitelist",),
            doc=f"Columns that the value holds, as `{table}.column`; key columns stay in the key.",
        ),
        Property(
            name="column.exclude.list",
            kind=Kind.REGEXES,
            aliases=("column.blacklist",),
            doc=f"Columns that the value leaves out, as `{table}.column`; key columns stay in the key.",
        ),
        Property(
            name="column.propagate.source.type",
            kind=Kind.REGEXES,
            doc=f"Columns, as `{table}.column`, whose field schemas tell their type, length and scale.",
        ),
        Property(
            name="datatype.propagate.source.type",
            kind=Kind.REGEXES,
            doc=f"The same by data type, as `{table}.TYPE`.",
        ),
        Property(
            name="message.key.columns",
            doc="Columns of the event key instead of the primary key's: `table-regex:column,column;...`.",
        ),
        Property(
            name="skipped.operations",
            kind=Kind.LIST,
            default=("t",),
            allowed=("c", "u", "d", "t", "r", "none"),
            doc="Operations without events: create, update, delete, truncate, read; `none` skips nothing.",
        ),
        Property(
            name="skip.messages.without.change",
            kind=Kind.BOOL,
            default=False,
            status=Status.REFUSED,
            doc="Whether an update that changes no captured column gives no event.",
        ),
        Property(
            name="guardrail.collections.max",
            kind=Kind.INT,
            default=0,
            minimum=0,
            status=Status.UNUSED,
            reason="tables are not counted; all that match are captured",
            doc="How many tables may be captured before a warning or an error; 0 is without limit.",
        ),
        Property(
            name="guardrail.collections.limit.action",
            kind=Kind.ENUM,
            default="warn",
            allowed=("warn", "fail"),
            status=Status.UNUSED,
            reason="tables are not counted; all that match are captured",
            doc="What happens when more tables match than the guardrail allows.",
        ),
    )


TRUNCATE = Family(
    name="column.truncate.to.<n>.chars",
    pattern=re.compile(r"column\.truncate\.to\.(?P<length>\d+)\.chars"),
    kind=Kind.REGEXES,
    doc="Text columns that are cut to n characters.",
)
MASK = Family(
    name="column.mask.with.<n>.chars",
    pattern=re.compile(r"column\.mask\.with\.(?P<length>\d+)\.chars"),
    kind=Kind.REGEXES,
    doc="Text columns whose values are replaced by n asterisks.",
)
HASH = Family(
    name="column.mask.hash.<algorithm>.with.salt.<salt>",
    pattern=re.compile(r"column\.mask\.hash\.(?P<algorithm>[^.]+)\.with\.salt\.(?P<salt>.+)"),
    kind=Kind.REGEXES,
    doc="Text columns whose values are replaced by a salted hash of their Java serialization.",
)
HASH_V2 = Family(
    name="column.mask.hash.v2.<algorithm>.with.salt.<salt>",
    pattern=re.compile(r"column\.mask\.hash\.v2\.(?P<algorithm>[^.]+)\.with\.salt\.(?P<salt>.+)"),
    kind=Kind.REGEXES,
    doc="Text columns whose values are replaced by a salted hash of their UTF-8 bytes.",
)
FAMILIES = (TRUNCATE, MASK, HASH, HASH_V2)
