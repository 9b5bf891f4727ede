"""Scenarios of a running connector that is asked for snapshots by signals, in a table or a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.differential.snapshots.running import PREFIX, Captured, Session

SIGNALS = "s_inc.debezium_signal"
MOST_PULSES = 200
PROPERTIES = {
    "table.include.list": r"s_inc\.(?!debezium_signal).*",
    "snapshot.mode": "no_data",
    "signal.data.collection": SIGNALS,
    "incremental.snapshot.chunk.size": "3",
}
DELETING = {"incremental.snapshot.watermarking.strategy": "insert_delete"}
FROM_FILE = {"signal.enabled.channels": "source,file", "signal.file": "{folder}/signals.txt"}
READ_ONLY = {"read.only": "true", "signal.enabled.channels": "file", "signal.file": "{folder}/signals.txt"}
TABLES = (
    "CREATE DATABASE s_inc DEFAULT CHARACTER SET utf8mb4",
    f"CREATE TABLE {SIGNALS} (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data TEXT NULL)",
    "CREATE TABLE s_inc.pulse (id INT PRIMARY KEY AUTO_INCREMENT)",
    "CREATE TABLE s_inc.orders (id INT PRIMARY KEY, v VARCHAR(10))",
    "INSERT INTO s_inc.orders VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f'), (7, 'g')",
    "CREATE TABLE s_inc.items (n INT, a VARCHAR(10), b INT, PRIMARY KEY (a, b))",
    "INSERT INTO s_inc.items VALUES (1, 'x', 1), (2, 'x', 2), (3, 'B', 1), (4, 'a', 9)",
    "CREATE TABLE s_inc.coded (id INT PRIMARY KEY, code INT NOT NULL, UNIQUE KEY (code))",
    "INSERT INTO s_inc.coded VALUES (1, 40), (2, 30), (3, 20), (4, 10)",
    "CREATE TABLE s_inc.no_key (a INT, b INT)",
    "INSERT INTO s_inc.no_key VALUES (1, 1), (2, 2)",
    "CREATE TABLE s_inc.empty (id INT PRIMARY KEY)",
)
CHANGE = "UPDATE s_inc.orders SET v = 'changed' WHERE id = 7"


def signal(id_: str, type_: str, data: Any = None) -> str:
    """The statement that sends a signal."""
    text = "NULL" if data is None else "'" + json.dumps(data).replace("\\", "\\\\").replace("'", "''") + "'"
    return f"INSERT INTO {SIGNALS} VALUES ('{id_}', '{type_}', {text})"


def execute(id_: str, *tables: str, **more: Any) -> str:
    """The statement that asks for an incremental snapshot, or for another kind by its `type`."""
    data = {"type": "incremental", "data-collections": list(tables)}
    return signal(id_, "execute-snapshot", data | {name.replace("_", "-"): value for name, value in more.items()})


def incremental(session: Session) -> None:
    """Two tables; then tables that can't be read so; then a change."""
    start(session)
    session.sql(execute("two-tables", "s_inc.orders", "s_inc.items"))
    until_completed(session, 1)
    session.sql(execute("odd-tables", "s_inc.no_key", "s_inc.empty", "s_inc.nowhere"))
    until_completed(session, 2)
    change(session)
    session.stop()


def one_table(session: Session) -> None:
    """One table, and a change."""
    start(session)
    session.sql(execute("one-table", "s_inc.orders"))
    session.until(lambda found: len(reads(found)) == 7, "the rows")
    change(session)
    session.stop()


def conditions(session: Session) -> None:
    """Tables by a pattern, a condition, and a key that stands in for the primary key."""
    start(session)
    some = [{"data-collection": "s_inc.orders", "filter": "id > 2 AND v <> 'd'"}]
    session.sql(execute("by-pattern", r"s_inc\.(or|it).*", additional_conditions=some))
    until_completed(session, 1)
    session.sql(execute("by-surrogate", "s_inc.coded", surrogate_key="code"))
    until_completed(session, 2)
    change(session)
    session.stop()


def paused(session: Session) -> None:
    """Paused behind the first chunk and resumed; one table of two stopped; all stopped."""
    start(session)
    session.sql(execute("to-pause", "s_inc.orders"), signal("pause", "pause-snapshot", {"type": "incremental"}))
    session.until(lambda found: len(reads(found)) == 3 and notices(found, "PAUSED"), "the pause")
    session.sql(signal("resume", "resume-snapshot", {"type": "incremental"}))
    until_completed(session, 1)
    one = {"type": "incremental", "data-collections": ["s_inc.items"]}
    session.sql(execute("to-stop-one", "s_inc.orders", "s_inc.items"), signal("stop-one", "stop-snapshot", one))
    until_completed(session, 2)
    stop_all = signal("stop-all", "stop-snapshot", {"type": "incremental"})
    session.sql(execute("to-stop-all", "s_inc.orders", "s_inc.items"), stop_all)
    session.until(lambda found: len(notices(found, "ABORTED")) == 2, "the second stop")
    change(session)
    session.stop()


def restarted(session: Session) -> None:
    """Stopped in the middle, and started again."""
    start(session)
    session.sql(execute("to-restart", "s_inc.orders", "s_inc.items"), signal("pause", "pause-snapshot"))
    session.until(lambda found: len(reads(found)) == 3, "the first chunk")
    pulse(session)
    session.stop()
    session.start()
    until_completed(session, 1)
    change(session)
    session.stop()


def read_only(session: Session) -> None:
    """Asked for by a file; transactions go on, because windows close with them."""
    start(session)
    data = {"type": "incremental", "data-collections": ["s_inc.orders"]}
    _to_file(session, {"id": "from-file", "type": "execute-snapshot", "data": data})
    for _ in range(MOST_PULSES):
        pulse(session)
        if notices(session.records, "COMPLETED", "Incremental Snapshot"):
            break
    session.stop()


def blocking(session: Session) -> None:
    """A blocking snapshot of two tables, one of them by a SELECT of its own, between changes."""
    start(session)
    some = [{"data-collection": "s_inc.orders", "filter": "SELECT * FROM s_inc.orders WHERE id > 4"}]
    session.sql(execute("block", "s_inc.orders", "s_inc.items", type="blocking", additional_conditions=some))
    session.until(lambda found: len(notices(found, "COMPLETED", "Initial Snapshot")) == 2, "the end of the snapshot")
    change(session)
    session.stop()


def others(session: Session) -> None:
    """Messages for the log, a structure told by hand, nonsense, and signals from a file."""
    start(session)
    session.sql(signal("log", "log", {"message": "logged at {}"}))
    session.until_logged("logged at")
    _to_file(session, {"id": "log-file", "type": "log", "data": {"message": "from a file at {}"}})
    session.until_logged("from a file at")
    session.sql(signal("nonsense", "no-such-signal", {}), f"INSERT INTO {SIGNALS} VALUES ('bad', 'log', 'no json')")
    session.until_logged("cannot be parsed")
    before = len(session.records)
    session.sql(signal("structure", "schema-changes", _structure(session)))
    session.until(lambda found: any(c.record.topic == "dbz" for c in found[before:]), "the structure")
    change(session)
    session.stop()


def reads(found: Sequence[Captured]) -> list[Captured]:
    """The rows of an incremental snapshot."""
    return [c for c in found if c.mark == "incremental"]


def notices(found: Sequence[Captured], type_: str, aggregate: str = "") -> list[Captured]:
    """The notifications of a type."""
    told = [c for c in found if c.record.topic == "notices" and c.value["type"] == type_]
    return [c for c in told if aggregate in ("", c.value["aggregate_type"])]


def start(session: Session) -> None:
    session.start()
    session.until(lambda found: any(c.record.topic == PREFIX for c in found), "the structures")
    pulse(session)


def pulse(session: Session) -> None:
    """A change, and its event."""
    wanted = len(_pulses(session.records)) + 1
    session.sql("INSERT INTO s_inc.pulse VALUES ()")
    session.until(lambda found: len(_pulses(found)) >= wanted, "a pulse")


def _pulses(found: Sequence[Captured]) -> list[Captured]:
    return [c for c in found if c.record.topic.endswith("pulse") and c.op == "c"]


def until_completed(session: Session, times: int) -> None:
    session.until(
        lambda found: len(notices(found, "COMPLETED", "Incremental Snapshot")) == times, "the end of the snapshot"
    )


def change(session: Session) -> None:
    session.sql(CHANGE)
    session.until(lambda found: any(c.op == "u" and c.record.topic.endswith("orders") for c in found), "the change")


def _to_file(session: Session, line: Any) -> None:
    with (session.folder / "signals.txt").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _structure(session: Session) -> Any:
    changes = [change for record in session.history() for change in record.get("tableChanges", [])]
    orders = next(c for c in changes if c["type"] == "CREATE" and '"orders"' in c["id"])
    return {"database": "s_inc", "changes": [orders | {"type": "ALTER"}]}
