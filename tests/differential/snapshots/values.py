"""The same rows read twice by one connector of Debezium: by its snapshot, and from the log, where they are deleted.

A delete's image before is the row as the log has it. What differs between the two is Debezium's own inconsistency:
`ODD` lists all of it, so that who wants a snapshot to look like Debezium's knows where, and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.differential import cases
from tests.differential.compare import MISSING
from tests.differential.records import by_topic
from tests.differential.snapshots.rules import payload, rows
from tests.differential.snapshots.running import PREFIX, Captured, Session
from tests.differential.snapshots.scenarios import is_last
from tests.differential.variants import HISTORY, TYPES_ONLY, VARIANTS, Variant

from tailrace_standins.servers.mysql_server import MySqlServer

NAMES = {"defaults", "column policies, message keys"}
READ_TWICE = tuple(v for v in VARIANTS if v.name in NAMES or TYPES_ONLY.items() <= v.properties.items())
STOPPING = ("d_types.decimals.dz",)  # DECIMAL ZEROFILL with all its digits: reading it in a snapshot stops Debezium
MARKER = f"{PREFIX}.{cases.MARKER_DATABASE}.marker"
TABLES = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA LIKE 'd\\_%' AND TABLE_TYPE = 'BASE TABLE'"
COLUMNS = "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '{}' AND TABLE_NAME = '{}' AND COLUMN_NAME = '{}'"


@dataclass(frozen=True)
class Odd:
    """A value that a snapshot reads in another way than the stream: patterns over its topic and column, and why."""

    topic: str
    column: str
    reason: str
    variant: str = r".*"

    def explains(self, found: Unequal) -> bool:
        """Is it this one?"""
        pairs = ((self.topic, found.topic), (self.column, found.column), (self.variant, found.variant))
        return all(re.fullmatch(pattern, text) for pattern, text in pairs)


@dataclass(frozen=True)
class Unequal:
    """One column of one row that was read in two ways."""

    variant: str
    topic: str
    key: Any
    column: str
    read: Any
    streamed: Any


ODD: tuple[Odd, ...] = (
    Odd(
        r"dbz\.(d_types\.json.*|d_defaults\.texts|d_types\.not_nulls)",
        r"j|jn|exj",
        "a snapshot has the server's own text of JSON; the stream's is Debezium's: no blanks, no exponents, other times "
        "and binaries, wrong negative times, and {} for the empty value of a NOT NULL column that nothing was put into",
    ),
    Odd(
        r"dbz\.d_types\.(dates|not_nulls|zero_dates)",
        r"ts\d?n?",
        "TIMESTAMP with fractional digits: a snapshot leaves zeros at the end away, the stream has all the column's",
    ),
    Odd(
        r"dbz\.d_types\.floats",
        r"f|fu|f24",
        "FLOAT: the server's text has six significant digits; what is stored is only in the log",
    ),
    Odd(
        r"dbz\.d_types\.ints",
        r"tiu",
        "128 to 255 of a TINYINT UNSIGNED as a boolean: true in a snapshot; a signed number, and so false, in the stream",
        r"custom converter: .*",
    ),
    Odd(r"dbz\.d_types\.(ints|not_nulls|zero_dates)", r"yn?", "YEAR 0000: 2000 in a snapshot, 1900 in the stream"),
    Odd(
        r"dbz\.d_types\.zero_dates",
        r"dtn?|dn",
        "a date of the year 0 in a NOT NULL column: read as of the year 2000 or 2001, the epoch in the stream",
    ),
    Odd(
        r"dbz\.d_types\.enums",
        r"es",
        "a comma in an ENUM's label: a snapshot has the label, the stream Debezium's escaped one",
    ),
    Odd(r"dbz\.d_types\.charsets", r"l1", "bytes that windows-1252 does not use: a snapshot has MySQL's, the stream �"),
    Odd(
        r"dbz\.d_types\.charsets",
        r"sj",
        "sjis 5C: the server converts it to a backslash, Java to U+FF3C",
    ),
)


def read_twice(server: MySqlServer, folder: Path, variants: Sequence[Variant] = READ_TWICE) -> list[Unequal]:
    """Play the history on a fresh server, read it with each variant, delete all rows, and read that."""
    cases.run_all(server.port, cases.FIRST)
    cases.play(server.port, HISTORY)
    sessions = {variant.name: _snapshot(server, folder, variant) for variant in variants}
    _delete_all(server)
    found: list[Unequal] = []
    for name, session in sessions.items():
        _stream(session)
        found += unequal(name, session.records)
    return found


def unequal(variant: str, captured: Sequence[Captured]) -> Iterator[Unequal]:
    """The columns that were read in two ways."""
    records = [c.record for c in captured]
    read = by_topic(rows(records))
    gone = by_topic(record for record in records if payload(record.value).get("op") == "d")
    for topic in sorted(read.keys() | gone.keys()):
        if topic != MARKER:
            yield from _of_table(
                variant, topic, _by_key(read.get(topic, ()), "after"), _by_key(gone.get(topic, ()), "before")
            )


def unexplained(found: Sequence[Unequal]) -> list[Unequal]:
    """What `ODD` does not explain."""
    return [each for each in found if not any(odd.explains(each) for odd in ODD)]


def _of_table(variant: str, topic: str, read: Mapping[str, Any], gone: Mapping[str, Any]) -> Iterator[Unequal]:
    if read.keys() != gone.keys():  # what is unequal is the key itself: both are in the key's order
        read, gone = (dict(enumerate(side.values())) for side in (read, gone))  # type: ignore[assignment]
    for key in [*read, *(key for key in gone if key not in read)]:
        a, b = read.get(key, {}), gone.get(key, {})
        for column in [*a, *(name for name in b if name not in a)]:
            left, right = a.get(column, MISSING), b.get(column, MISSING)
            if json.dumps(left, default=repr) != json.dumps(right, default=repr):
                yield Unequal(variant, topic, key, column, left, right)


def _by_key(records: Sequence[Any], image: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for record in records:
        key = (
            json.dumps(payload(record.key)) if record.key else json.dumps(payload(record.value)[image], sort_keys=True)
        )
        while key in found:  # rows that are equal, in a table without a key
            key += "'"
        found[key] = payload(record.value)[image]
    return found


def _snapshot(server: MySqlServer, folder: Path, variant: Variant) -> Session:
    own = {"extended.headers.enabled": "false", **variant.properties, "snapshot.mode": "initial"}
    own["column.exclude.list"] = ",".join(filter(None, [own.get("column.exclude.list"), *STOPPING]))
    with Session(server, folder / re.sub(r"\W+", "-", variant.name), own) as session:
        session.start()
        session.until(is_last, "the last row")
        session.stop()
    return session


def _delete_all(server: MySqlServer) -> None:
    deletes = [f"DELETE FROM {_quoted(database)}.{_quoted(table)}" for database, table in server.sql(TABLES)]
    cases.run_all(server.port, ["SET foreign_key_checks = 0", *deletes, "COMMIT"])
    cases.run_all(server.port, [*cases.MARKER, "COMMIT"])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _stream(session: Session) -> None:
    with session:
        session.start()
        session.until(lambda found: any(c.record.topic == MARKER and c.op == "c" for c in found), "the marker")
        session.stop()
