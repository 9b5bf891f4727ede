"""Properties for reading Db2's change tables."""

from __future__ import annotations

import re

from tailrace.config.properties import reading
from tailrace.config.property import Kind, Property, Status, varied

COMMIT, PROCESSING = "commit", "processing"
LUW, ZOS = "LUW", "ZOS"
CONTROL_SCHEMA = "ASNCDC"
FAIL, ACCEPT = "fail", "accept"

PROPERTIES = (
    Property(
        name="db2.platform",
        kind=Kind.ENUM,
        default=LUW,
        allowed=(LUW, ZOS),
        doc="The platform of the server: `LUW` is Linux, UNIX and Windows, `ZOS` is z/OS.",
    ),
    Property(
        name="cdc.control.schema",
        default=CONTROL_SCHEMA,
        pattern=re.compile(r'[^"\x00]{1,128}|"(?:[^"\x00]|""){1,128}"'),
        pattern_says="the name of a schema, in double quotes where it is not in capital letters",
        doc="Schema of the capture program's control tables (`IBMSNAP_REGISTER`, …), in capital letters unless it is in double "
        "quotes.",
    ),
    Property(
        name="cdc.change.tables.schema",
        default=CONTROL_SCHEMA,
        status=Status.IGNORED,
        reason="`IBMSNAP_REGISTER` tells where each change table is (`CD_OWNER`, `CD_TABLE`), so there may be several schemas",
        doc="Schema of the change tables.",
    ),
    Property(
        name="source.timestamp.mode",
        kind=Kind.ENUM,
        default=COMMIT,
        allowed=(COMMIT, PROCESSING),
        doc="What the times of the source block of a change say: `commit`, when its transaction was committed "
        "(`IBMSNAP_UOW.IBMSNAP_LOGMARKER`); `processing`, when it was read from the change table, as in Debezium, which has no "
        "such property.",
    ),
    Property(
        name="streaming.query.timespan.seconds",
        kind=Kind.SECONDS,
        default=0,
        minimum=0,
        doc="How many seconds of commit time are read at a time at most; 0 is without limit, and 1 is refused, as in Debezium.",
    ),
    Property(
        name="tailrace.registered.anew",
        kind=Kind.ENUM,
        default=FAIL,
        allowed=(FAIL, ACCEPT),
        doc="What to do about a table whose registration was made anew since it was read, where transactions of whatever "
        "table lie between the two: `fail` stops, since changes of it may be among them; `accept` goes on with a warning, "
        "where nobody changed it meanwhile. The same where the newest transaction that was read is not listed any more.",
    ),
    Property(
        name="z.stop.lsn.ignore",
        kind=Kind.BOOL,
        default=False,
        status=Status.IGNORED,
        reason="`CD_OLD_SYNCHPOINT` is never taken for the end of a change table",
        doc="Whether changes are read that are behind a table's `CD_OLD_SYNCHPOINT`, on z/OS.",
    ),
    Property(
        name="query.fetch.size",
        kind=Kind.INT,
        default=10_000,
        minimum=0,
        status=Status.IGNORED,
        reason="as many rows are held at a time as some megabytes have",
        doc="Rows of an answer that are held in memory at a time.",
    ),
    *varied(
        reading.PROPERTIES,
        "event.converting.failure.handling.mode",
        status=Status.IGNORED,
        reason="a value that does not fit its column's type is an event that can't be shown",
    ),
)
