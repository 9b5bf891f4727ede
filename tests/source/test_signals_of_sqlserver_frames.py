"""Tables of a SQL Server that are asked for while a DataFrame is delivered: at their right place, the same however often."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from support.meanwhile import meanwhile
from support.streaming_frames import Offset, next_batch, tasks
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.connectors.sqlserver import signal_polling
from tailrace.source.cdc_source import INITIAL
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers
SEED = random.SystemRandom().randrange(1 << 30)
ROWS = 80
BATCHES = 200


@pytest.fixture
def shop(sqlserver: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A table, a table of signals, and small parts."""
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 15)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)
    sqlserver.sql("CREATE TABLE t (k int PRIMARY KEY, n int); CREATE TABLE other (k int PRIMARY KEY)")
    sqlserver.sql("CREATE TABLE signals (id varchar(40) PRIMARY KEY, type varchar(40), data varchar(max))")
    sqlserver.sql(f"INSERT t VALUES {', '.join(f'({k}, {k})' for k in range(0, ROWS, 2))}; INSERT other VALUES (1)")
    sqlserver.capture("t")
    sqlserver.capture("other")
    return sqlserver


class Stream:
    """A stream as Spark drives it; each batch is planned by a new process from what the checkpoint has."""

    def __init__(self, database: Database, **more: str) -> None:
        plain = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}
        signals = {
            "signal_data_collection": f"{database.name}.dbo.signals",
            "signal_poll_interval_ms": "1",
            "snapshot_max_threads": "3",
        }
        self.options = database.properties(**plain, **signals, **more)
        self.end: Offset = INITIAL
        self.batches: list[tuple[Offset, Offset, list[list[dict[str, Any]]]]] = []

    def next(self) -> bool:
        """One batch: whether there was one."""
        end = next_batch(self.options, self.end)
        if end == self.end:
            return False
        self.batches.append((self.end, end, tasks(self.options, self.end, end)))
        self.end = end
        return True

    def run(self, until: Callable[[], bool] | None = None) -> Stream:
        """All batches that there are, or until `until()`."""
        for _ in range(BATCHES):
            is_new = self.next()
            if (until is None and not is_new) or (until is not None and until()):
                return self
        raise AssertionError(f"there is always one more batch: {self.end}")

    @property
    def is_at_work(self) -> bool:
        signalled = self.end.get("signalled") or {}
        is_reading = self.end.get("snapshot", {}).get("reached") is not None
        return bool(signalled.get("tables") or signalled.get("blocking") or is_reading)

    def events(self, topic: str = ".t") -> list[dict[str, Any]]:
        """The values of a topic's records in the order of batches, and of positions within each."""
        found: list[dict[str, Any]] = []
        for _, _, read in self.batches:
            rows = [row for task in read for row in task if row["topic"].endswith(topic) and row["value"]]
            found += [json.loads(row["value"]) for row in sorted(rows, key=lambda row: row["position"])]
        return found


def signal(database: Database, id_: str, type_: str, **data: Any) -> None:
    database.sql("INSERT signals VALUES (?, ?, ?)", id_, type_, json.dumps(data))


def ask(database: Database, id_: str, *tables: str, **more: Any) -> None:
    names = [f"{database.name}.dbo.{table}" for table in tables]
    signal(database, id_, "execute-snapshot", **{"data-collections": names, **more})


@contextmanager
def writing(database: Database) -> Iterator[None]:
    """Somebody changes, takes away and adds rows; the capture job reads along."""
    rng, connection = random.Random(SEED), database.server.connect(database.name)

    def write() -> None:
        n, k = rng.randrange(1000, 1 << 30), rng.randrange(ROWS)
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE t SET n = {n} WHERE k = {k} IF @@ROWCOUNT = 0 INSERT t VALUES ({k}, {n})")
            if n % 3 == 0:
                cursor.execute(f"DELETE t WHERE k = {rng.randrange(ROWS)}")
        database.step()

    with meanwhile(write):
        yield
    connection.close()


def folded(events: list[dict[str, Any]], table: dict[int, int]) -> dict[int, int]:
    """What a table has after events; a row that is read is what the table has of it by then."""
    for event in events:
        before, after = event["before"], event["after"]
        if event["op"] == "r":
            assert table.get(after["k"], after["n"]) == after["n"], f"seed {SEED}"
        if before is not None:
            table.pop(before["k"])
        if after is not None:
            table[after["k"]] = after["n"]
    return table


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_a_table_is_read_at_its_place_in_the_log_whoever_writes_and_the_same_when_it_is_read_again(
    shop: Database, kind: str
) -> None:
    print(f"seed {SEED}")
    stream = Stream(shop).run()
    with writing(shop):
        stream.next()
        ask(shop, "a", "t", type=kind)
        stream.run(until=lambda: any(event["op"] == "r" for event in stream.events()) and not stream.is_at_work)
        again = [tasks(stream.options, start, end) for start, end, _ in stream.batches]
    for (_, _, read), other in zip(stream.batches, again, strict=True):
        assert [sorted(map(repr, task)) for task in read] == [sorted(map(repr, task)) for task in other], f"seed {SEED}"
    shop.capture_all()
    events = stream.run().events()
    marks = {event["source"]["snapshot"] for event in events if event["op"] == "r"}
    assert marks == {"incremental" if kind == "incremental" else "true"}
    table = folded(events, {k: k for k in range(0, ROWS, 2)})
    assert sorted(table.items()) == sorted(shop.sql("SELECT k, n FROM t")), f"seed {SEED}"
    reads = [event["after"]["k"] for event in events if event["op"] == "r"]
    assert len(reads) == len(set(reads)) > ROWS // 4


def test_a_signal_counts_once_and_those_that_were_there_before_the_stream_not_at_all(shop: Database) -> None:
    ask(shop, "old", "t")
    stream = Stream(shop, include_schema_changes="false").run()
    with meanwhile(shop.step):
        ask(shop, "new", "other")
        stream.run(until=lambda: bool(stream.events(".other")) and not stream.is_at_work)
        stream.run()
    assert [event["op"] for event in stream.events(".other")] == ["r"]
    assert stream.events() == []


def test_a_blocking_snapshot_tells_the_structures_that_it_names(shop: Database) -> None:
    stream = Stream(shop).run()
    count = len(stream.events("s"))
    with meanwhile(shop.step):
        ask(shop, "a", "other", type="blocking")
        stream.run(until=lambda: bool(stream.events(".other")) and not stream.is_at_work)
    told = stream.events("s")[count:]
    assert [change["id"] for event in told for change in event["tableChanges"]] == [f'"{shop.name}"."dbo"."other"']


def test_rows_of_a_condition_are_read_and_no_others(shop: Database) -> None:
    stream = Stream(shop).run()
    name = f"{shop.name}.dbo.t"
    with meanwhile(shop.step):
        ask(shop, "a", "t", **{"additional-conditions": [{"data-collection": name, "filter": "k < 7"}]})
        stream.run(until=lambda: bool(stream.events()) and not stream.is_at_work)
    assert [event["after"]["k"] for event in stream.events()] == [0, 2, 4, 6]


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_what_a_signal_brings_chooses_rows_and_does_nothing_else(
    shop: Database, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    stream = Stream(shop).run()
    name, begun = f"{shop.name}.dbo.t", "1=1" if kind == "incremental" else "SELECT * FROM dbo.t"
    condition = {"data-collection": name, "filter": f"{begun}) DROP TABLE dbo.other SELECT * FROM (SELECT 1 AS a"}
    with meanwhile(shop.step):
        ask(shop, "a", "t", type=kind, **{"additional-conditions": [condition]})
        stream.run(until=lambda: "additional-conditions are refused" in caplog.text and not stream.is_at_work)
    assert stream.events() == []
    shop.sql("SELECT * FROM dbo.other")


def test_a_table_of_signals_that_is_captured_too_is_no_reason_to_hear_them_twice(shop: Database) -> None:
    shop.capture("signals")
    stream = Stream(shop, table_include_list="dbo[.]t").run()
    with meanwhile(shop.step):
        ask(shop, "a", "t")
        stream.run(until=lambda: bool(stream.events()) and not stream.is_at_work)
        stream.run()
    assert sorted(event["after"]["k"] for event in stream.events()) == list(range(0, ROWS, 2))


def test_typed_rows_that_are_read_again_stand_behind_the_changes_before_them(shop: Database) -> None:
    stream = Stream(shop, output="rows", table_include_list="dbo[.]t").run()
    shop.sql("UPDATE t SET n = 5 WHERE k = 4")
    shop.capture_all()
    with meanwhile(shop.step):
        ask(shop, "a", "t")
        stream.run(until=lambda: len(stream.batches) > 1 and not stream.is_at_work)
    rows = sorted(
        (row for _, _, read in stream.batches for task in read for row in task), key=lambda row: row["_sequence"]
    )
    assert [(row["_op"], row["n"]) for row in rows if row["k"] == 4] == [("u", 5), ("r", 5)]
    assert len(rows) == ROWS // 2 + 1


def test_a_snapshot_that_is_paused_rests_until_it_is_resumed(shop: Database) -> None:
    stream = Stream(shop).run()
    with meanwhile(shop.step):
        ask(shop, "a", "t")
        signal(shop, "b", "pause-snapshot")
        stream.run()
        assert (stream.events(), stream.is_at_work) == ([], True)
        signal(shop, "c", "resume-snapshot")
        stream.run(until=lambda: bool(stream.events()) and not stream.is_at_work)
    assert sorted(event["after"]["k"] for event in stream.events()) == list(range(0, ROWS, 2))


def test_somebody_amid_a_signal_does_not_stop_the_log(
    shop: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(signal_polling, "LOCK_MS", 50)
    stream = Stream(shop).run()
    with closing(shop.server.connect(shop.name)) as holder:
        holder.cursor().execute("BEGIN TRANSACTION; INSERT signals VALUES ('a', 'log', '{}')")
        shop.sql("INSERT t VALUES (1001, 1)")
        shop.capture_all()
        assert stream.next()
        holder.cursor().execute("ROLLBACK TRANSACTION")
    assert [event["after"]["k"] for event in stream.events()] == [1001]
    assert "the table of signals can't be looked into now" in caplog.text


def test_a_table_that_is_not_captured_any_more_when_its_part_is_read_is_left_out(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    stream = Stream(shop).run()
    ask(shop, "a", "t")
    end = stream.end
    while not end.get("snapshot"):
        start, end = end, next_batch(stream.options, end)
    shop.uncapture("t")
    with meanwhile(shop.step):
        assert [row for task in tasks(stream.options, start, end) for row in task if row["topic"].endswith(".t")] == []
    assert "of the snapshot that a signal asked for, is not read" in caplog.text


def test_what_cannot_be_read_is_left_out_and_the_log_goes_on(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    shop.sql("CREATE TABLE bare (n int)")
    shop.capture("bare")
    stream = Stream(shop).run()
    ask(shop, "a", "nowhere", "bare")
    signal(shop, "b", "execute-snapshot", **{"data-collections": ["elsewhere.dbo.t"]})
    shop.sql("INSERT t VALUES (1001, 1)")
    shop.capture_all()
    stream.run()
    assert [event["after"]["k"] for event in stream.events()] == [1001]
    assert not stream.is_at_work
    assert "bare that a signal asked for ends here, and the log goes on" in caplog.text
