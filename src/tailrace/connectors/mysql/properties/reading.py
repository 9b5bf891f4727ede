"""Reading MySQL's binlog."""

from __future__ import annotations

import re

from tailrace.config.properties import reading
from tailrace.config.property import Family, Kind, Property, Status

PROPERTIES = (
    Property(
        name="gtid.source.includes",
        kind=Kind.REGEXES,
        doc="Server UUIDs whose GTIDs count for the position; others are taken from the server's own set.",
    ),
    Property(
        name="gtid.source.excludes",
        kind=Kind.REGEXES,
        doc="Server UUIDs whose GTIDs do not count for the position.",
    ),
    Property(
        name="gtid.source.filter.dml.events",
        kind=Kind.BOOL,
        default=True,
        doc="Whether row changes of servers that do not count give no events either.",
    ),
    Property(
        name="gtid.ignore.on.recovery",
        kind=Kind.BOOL,
        default=False,
        doc="Whether reading goes on from file and position even where a GTID set is stored.",
    ),
    Property(
        name="read.only",
        kind=Kind.BOOL,
        default=False,
        doc="Whether incremental snapshots do without writing to the source; tailrace's always do.",
    ),
    Property(
        name="inconsistent.schema.handling.mode",
        kind=Kind.ENUM,
        default="fail",
        allowed=reading.FAILURES,
        other_spellings={"ignore": "skip"},
        doc="What happens with changes of a table whose structure is not known.",
    ),
    Property(
        name="query.fetch.size",
        kind=Kind.INT,
        default=0,
        minimum=0,
        status=Status.IGNORED,
        reason="catalog queries are small",
        doc="Rows fetched at a time by catalog queries.",
    ),
    Property(
        name="binlog.buffer.size",
        kind=Kind.INT,
        default=0,
        minimum=0,
        status=Status.IGNORED,
        reason="changes are delivered as they are logged, as with 0",
        doc="Changes that Debezium reads ahead to find out whether a transaction is rolled back.",
    ),
    Property(
        name="ddl.parser.type",
        kind=Kind.ENUM,
        default="default",
        allowed=("default", "legacy"),
        status=Status.IGNORED,
        reason="tailrace reads DDL with a parser of its own",
        doc="Which of Debezium's DDL grammars is used.",
    ),
    *reading.PROPERTIES,
)

FAMILIES = (
    Family(
        name="gtid.new.channel.position, snapshot.new.tables",
        pattern=re.compile(r"gtid\.new\.channel\.position|snapshot\.new\.tables"),
        status=Status.IGNORED,
        reason="Debezium has dropped it",
        doc="Properties of Debezium 1.x.",
    ),
)
