"""What real Debezium is made to do around snapshots; the records of each scenario are kept in `golden/`.

Each scenario has a server of its own to itself: databases of earlier ones are dropped. Its properties are those of
`debezium.base_properties`, then `SMALL`, then its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.differential import cases
from tests.differential.snapshots import signalled
from tests.differential.snapshots.running import PREFIX, Captured, Session
from tests.differential.snapshots.tables import ENDS_EMPTY, FIRST_CHANGE, MARKS, NOTHING, ONE_ROW
from tests.differential.variants import HISTORY, KEYS, POLICIES

SCHEMALESS = {f"{part}.converter.schemas.enable": "false" for part in ("key", "value", "header")}
SMALL = {
    **SCHEMALESS,
    "extended.headers.enabled": "false",
    "table.include.list": r"s_marks\..*",
    "snapshot.mode": "initial",
    "signal.poll.interval.ms": "200",
}
WITHOUT_LONG = {"strings": "id <> 5", "jsons": "id <> 11", "binaries": "id <> 4"}
TIMES = r"d_types\.(dates|zero_dates|not_nulls)"
TYPES = {
    "table.include.list": r"d_types\..*,d_defaults\..*,d_keys\..*,d_ddl2?\..*",
    "column.exclude.list": "d_types.decimals.dz",  # reading it in a snapshot stops Debezium
    "include.schema.changes": "false",
    "snapshot.select.statement.overrides": ",".join(f"d_types.{table}" for table in WITHOUT_LONG),
    **{
        f"snapshot.select.statement.overrides.d_types.{table}": f"SELECT * FROM d_types.{table} WHERE {some}"
        for table, some in WITHOUT_LONG.items()
    },
}
MORE_TYPES = {  # every mode of values once
    "times for Connect, keys": {
        "time.precision.mode": "connect",
        "decimal.handling.mode": "string",
        "binary.handling.mode": "base64",
        "bigint.unsigned.handling.mode": "precise",
        **KEYS,
    },
    "times as text, column policies": {
        "time.precision.mode": "isostring",
        "decimal.handling.mode": "double",
        "binary.handling.mode": "hex",
        **POLICIES,
        "column.exclude.list": f"{POLICIES['column.exclude.list']},{TYPES['column.exclude.list']}",
    },
    "times in nanoseconds": {"time.precision.mode": "nanoseconds", "table.include.list": TIMES},
    "times in microseconds": {
        "time.precision.mode": "microseconds",
        "binary.handling.mode": "base64-url-safe",
        "table.include.list": f"{TIMES},d_types.binaries",
    },
}
NOTIFIED = {"notification.enabled.channels": "sink,log", "notification.sink.topic.name": "notices"}
HEARTBEATS = {"heartbeat.interval.ms": "100", "provide.transaction.metadata": "true"}
FULL_SCHEMAS = dict.fromkeys(SCHEMALESS, "true")

HELD = 24  # records: within the rows


@dataclass(frozen=True)
class Scenario:
    """A server's tables, a connector's properties, and what happens then."""

    name: str
    tables: Sequence[str]
    play: Callable[[Session], None]
    properties: Mapping[str, str] = field(default_factory=dict)
    gtid: bool = True


def is_last(records: Sequence[Captured]) -> bool:
    """The snapshot's last row is there."""
    return any(c.mark == "last" for c in records)


def streamed(records: Sequence[Captured]) -> list[Captured]:
    """The events of rows that came from the log."""
    return [c for c in records if c.op in {"c", "u", "d"}]


def then_one_change(session: Session) -> None:
    """A snapshot, and the first two events of the stream."""
    session.start()
    session.until(is_last, "the last row")
    session.sql(FIRST_CHANGE)
    session.until(lambda records: len(streamed(records)) == 2, "the first changes")
    session.stop()


def schema_only(session: Session) -> None:
    """A snapshot without rows, and the first event of the stream."""
    session.start()
    session.until(_structures_are_told, "the structures")
    session.sql("CREATE TABLE s_marks.streamed (id INT PRIMARY KEY)", "INSERT INTO s_marks.streamed VALUES (1)")
    session.until(streamed, "the change")
    session.stop()


def one_row(session: Session) -> None:
    """A snapshot of one row."""
    session.start()
    session.until(is_last, "the last row")
    session.stop()


def every_type(session: Session) -> None:
    """A snapshot of what the cases of the stream leave behind."""
    cases.play(session.server.port, HISTORY)
    one_row(session)


def twice(session: Session) -> None:
    """A snapshot, a change, and the connector started again."""
    then_one_change(session)
    session.sql("INSERT INTO s_marks.c_three VALUES (6, 'stopped')")
    session.start()
    session.until(lambda found: _of_run(found, 1, "s_marks.c_three", id=6), "the row of the second run")
    session.sql("INSERT INTO s_marks.c_three VALUES (7, 'again')")
    session.until(lambda found: _of_run(found, 1, "s_marks.c_three", id=7), "the last change")
    session.stop()


def initial_only(session: Session) -> None:
    """`initial_only`, a change that nobody streams, and then `initial`, which goes on from the snapshot."""
    session.start()
    session.until(is_last, "the last row")
    session.sql(FIRST_CHANGE)
    session.stop()
    session.start(snapshot_mode="initial")
    session.until(lambda records: len(streamed(records)) == 2, "the changes behind the snapshot")
    session.stop()


def log_is_gone(session: Session) -> None:
    """The log that an offset stands in is purged while the connector is stopped."""
    then_one_change(session)
    session.sql("INSERT INTO s_marks.c_three VALUES (6, 'purged')", "FLUSH BINARY LOGS", "FLUSH BINARY LOGS")
    session.sql("PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY")
    session.start()
    session.until(lambda found: any(c.run == 1 and c.mark == "last" for c in found), "a second snapshot")
    session.stop()


def history_is_lost(session: Session) -> None:
    """The schema history is gone: `recovery` reads the structures anew and goes on from the offset."""
    then_one_change(session)
    (session.folder / "history.jsonl").unlink()
    session.sql("INSERT INTO s_marks.c_three VALUES (6, 'stopped')")
    session.start(snapshot_mode="recovery")
    session.until(lambda found: _of_run(found, 1, "s_marks.c_three", id=6), "the change behind the recovery")
    session.stop()


def crash(session: Session) -> None:
    """Killed in the middle of the snapshot, and started again."""
    session.start(hold=HELD, max_batch_size="1", max_queue_size="2")
    session.until(lambda records: len(records) == HELD, "the second row")
    session.kill()
    session.start()
    session.until(lambda found: any(c.run == 1 and c.mark == "last" for c in found), "the second snapshot's last row")
    session.stop()


def _of_run(found: Sequence[Captured], run: int, table: str, **row: object) -> bool:
    rows = [c.value["after"] for c in found if c.run == run and c.record.topic.endswith(table) and c.value.get("after")]
    return any(row.items() <= dict(after).items() for after in rows)


def _structures_are_told(found: Sequence[Captured]) -> bool:
    """The position of the snapshot is taken then: what is changed now is streamed."""
    return any(c.record.topic == PREFIX for c in found)


SCENARIOS = (
    Scenario("initial", MARKS, then_one_change),
    Scenario("initial, first and last tables empty", ENDS_EMPTY, then_one_change),
    Scenario("initial, one row", ONE_ROW, one_row),
    Scenario("initial, no row", NOTHING, schema_only),
    Scenario("initial, without GTIDs", MARKS, then_one_change, gtid=False),
    Scenario("initial, with schemas", MARKS, then_one_change, FULL_SCHEMAS | NOTIFIED | HEARTBEATS),
    Scenario("initial, notifications and heartbeats", ENDS_EMPTY, then_one_change, NOTIFIED | HEARTBEATS),
    Scenario("initial, two threads", MARKS, then_one_change, {"snapshot.max.threads": "2", **NOTIFIED}),
    Scenario(
        "initial, order of the include list",
        MARKS,
        one_row,
        {
            "table.include.list": r"s_marks\.f.*,s_marks\.[bc].*,s_marks.e_two",
            "snapshot.tables.order.by.row.count": "disabled",
        },
    ),
    Scenario(
        "initial, one table of many",
        MARKS,
        then_one_change,
        {"snapshot.include.collection.list": "s_marks.c_three", **NOTIFIED},
    ),
    Scenario(
        "initial, select overrides",
        MARKS,
        then_one_change,
        {
            "snapshot.select.statement.overrides": "s_marks.c_three,s_marks.e_two",
            "snapshot.select.statement.overrides.s_marks.c_three": "SELECT * FROM s_marks.c_three WHERE id < 3 ORDER BY id DESC",
            "snapshot.select.statement.overrides.s_marks.e_two": "SELECT * FROM s_marks.e_two WHERE a > 5",
        },
    ),
    Scenario(
        "initial, only captured structures",
        MARKS,
        one_row,
        {"schema.history.internal.store.only.captured.tables.ddl": "true"},
    ),
    Scenario("initial, killed", MARKS, crash, NOTIFIED),
    Scenario("initial, every type", cases.FIRST, every_type, TYPES),
    *(
        Scenario(f"initial, every type, {name}", cases.FIRST, every_type, TYPES | modes)
        for name, modes in MORE_TYPES.items()
    ),
    Scenario("initial_only", MARKS, initial_only, {"snapshot.mode": "initial_only", **NOTIFIED}),
    Scenario("no_data", MARKS, schema_only, {"snapshot.mode": "no_data", **NOTIFIED}),
    Scenario("always", MARKS, twice, {"snapshot.mode": "always", **NOTIFIED}),
    Scenario("initial, started again", MARKS, twice, NOTIFIED),
    Scenario("when_needed, log is gone", MARKS, log_is_gone, {"snapshot.mode": "when_needed", **NOTIFIED}),
    Scenario("recovery", MARKS, history_is_lost, NOTIFIED),
    Scenario("incremental", signalled.TABLES, signalled.incremental, signalled.PROPERTIES | NOTIFIED),
    Scenario(
        "incremental, with schemas",
        signalled.TABLES,
        signalled.one_table,
        signalled.PROPERTIES | NOTIFIED | FULL_SCHEMAS,
    ),
    Scenario("incremental, conditions", signalled.TABLES, signalled.conditions, signalled.PROPERTIES | NOTIFIED),
    Scenario(
        "incremental, insert and delete",
        signalled.TABLES,
        signalled.one_table,
        signalled.PROPERTIES | signalled.DELETING,
    ),
    Scenario(
        "incremental, read-only",
        signalled.TABLES,
        signalled.read_only,
        signalled.PROPERTIES | signalled.READ_ONLY | NOTIFIED,
    ),
    Scenario("incremental, paused and stopped", signalled.TABLES, signalled.paused, signalled.PROPERTIES | NOTIFIED),
    Scenario("incremental, started again", signalled.TABLES, signalled.restarted, signalled.PROPERTIES | NOTIFIED),
    Scenario("blocking", signalled.TABLES, signalled.blocking, signalled.PROPERTIES | NOTIFIED),
    Scenario(
        "other signals", signalled.TABLES, signalled.others, signalled.PROPERTIES | signalled.FROM_FILE | NOTIFIED
    ),
)
