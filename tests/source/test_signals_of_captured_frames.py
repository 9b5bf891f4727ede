"""Captured tables that are asked for while a DataFrame is delivered: at their right place, the same however often."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from support.captured_shops import (
    KINDS,
    SIGNALS,
    Db2Shop,
    Shop,
    SqlServerShop,
    ask,
    held,
    plain_properties,
    shop_of,
    signal,
    signal_table,
)
from support.meanwhile import meanwhile
from support.streaming_frames import ALL, Offset, job_of, next_batch, tasks
from tailrace.connectors.change_tables.snapshots import capture, requested_parts
from tailrace.connectors.db2.snapshots import capture_progress
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.connectors.sqlserver import signal_polling as sqlserver_polling
from tailrace.source.cdc_source import INITIAL, CdcReader

pytestmark = pytest.mark.drivers
SEED = random.SystemRandom().randrange(1 << 30)
ROWS = 80
BATCHES = 60
BLOCKS = {
    SqlServerShop: f"INSERT INTO S.{SIGNALS} VALUES ('a', 'log', '{{}}')",
    Db2Shop: f"LOCK TABLE S.{SIGNALS} IN EXCLUSIVE MODE",  # readers see what was committed last, and wait for no row
}


@pytest.fixture(params=KINDS)
def shop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A table, a table of signals, and small parts."""
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 15)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 0.0)
    made = shop_of(request)
    made.sql("CREATE TABLE S.T (K INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
    made.sql("CREATE TABLE S.OTHER (K INTEGER NOT NULL PRIMARY KEY)")
    signal_table(made)
    rows = ", ".join(f"({k}, {k})" for k in range(0, ROWS, 2))
    made.sql(f"INSERT INTO S.T VALUES {rows}", "INSERT INTO S.OTHER VALUES (1)")
    made.capture("T", "OTHER")
    return made


class Stream:
    """A stream as Spark drives it; each batch is planned by a new process from what the checkpoint has."""

    def __init__(self, shop: Shop, **more: str) -> None:
        signals = {
            "signal_data_collection": shop.named(SIGNALS),
            "signal_poll_interval_ms": "1",
            "snapshot_max_threads": "3",
        }
        self.options = plain_properties(shop, **signals, **more)
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

    def events(self, topic: str = ".T") -> list[dict[str, Any]]:
        """The values of a topic's records in the order of batches, and of positions within each."""
        found: list[dict[str, Any]] = []
        for _, _, read in self.batches:
            rows = [row for task in read for row in task if row["topic"].endswith(topic) and row["value"]]
            found += [json.loads(row["value"]) for row in sorted(rows, key=lambda row: row["position"])]
        return found


@contextmanager
def writing(shop: Shop) -> Iterator[None]:
    """Somebody changes, takes away and adds rows; they are captured along."""
    rng = random.Random(SEED)
    with closing(shop.session()) as session:

        def write() -> None:
            n, k = rng.randrange(1000, 1 << 30), rng.randrange(ROWS)
            missing = f"K = 1 AND NOT EXISTS (SELECT 1 FROM S.T WHERE K = {k})"
            work = [
                f"UPDATE S.T SET N = {n} WHERE K = {k}",
                f"INSERT INTO S.T SELECT {k}, {n} FROM S.OTHER WHERE {missing}",
            ]
            if n % 3 == 0:
                work.append(f"DELETE FROM S.T WHERE K = {rng.randrange(ROWS)}")
            shop.run(session, *work)
            shop.step()

        with meanwhile(write):
            yield


def folded(events: list[dict[str, Any]], table: dict[int, int]) -> dict[int, int]:
    """What a table has after events; a row that is read is what the table has of it by then."""
    for event in events:
        before, after = event["before"], event["after"]
        if event["op"] == "r":
            assert table.get(after["K"], after["N"]) == after["N"], f"seed {SEED}"
        if before is not None:
            table.pop(before["K"])
        if after is not None:
            table[after["K"]] = after["N"]
    return table


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_a_table_is_read_at_its_place_in_the_log_whoever_writes_and_the_same_when_it_is_read_again(
    shop: Shop, kind: str
) -> None:
    print(f"seed {SEED}")
    stream = Stream(shop).run()
    with writing(shop):
        stream.next()
        ask(shop, "a", "T", type=kind)
        stream.run(until=lambda: any(event["op"] == "r" for event in stream.events()) and not stream.is_at_work)
        again = [tasks(stream.options, start, end) for start, end, _ in stream.batches]
    for (_, _, read), other in zip(stream.batches, again, strict=True):
        assert [sorted(map(repr, task)) for task in read] == [sorted(map(repr, task)) for task in other], f"seed {SEED}"
    shop.capture_all()
    events = stream.run().events()
    marks = {event["source"]["snapshot"] for event in events if event["op"] == "r"}
    assert marks == {"incremental" if kind == "incremental" else "true"}
    table = folded(events, {k: k for k in range(0, ROWS, 2)})
    assert sorted(table.items()) == sorted(shop.sql("SELECT K, N FROM S.T")), f"seed {SEED}"
    reads = [event["after"]["K"] for event in events if event["op"] == "r"]
    assert len(reads) == len(set(reads)) > ROWS // 4


def test_a_signal_counts_once_and_those_that_were_there_before_the_stream_not_at_all(shop: Shop) -> None:
    ask(shop, "old", "T")
    stream = Stream(shop, include_schema_changes="false").run()
    with meanwhile(shop.step):
        ask(shop, "new", "OTHER")
        stream.run(until=lambda: bool(stream.events(".OTHER")) and not stream.is_at_work)
        stream.run()
    assert [event["op"] for event in stream.events(".OTHER")] == ["r"]
    assert stream.events() == []


def test_a_blocking_snapshot_tells_the_structures_that_it_names(shop: Shop) -> None:
    stream = Stream(shop).run()
    count = len(stream.events("s"))
    with meanwhile(shop.step):
        ask(shop, "a", "OTHER", type="blocking")
        stream.run(until=lambda: bool(stream.events(".OTHER")) and not stream.is_at_work)
    told, quoted = stream.events("s")[count:], ".".join(f'"{part}"' for part in shop.named("OTHER").split("."))
    assert [change["id"] for event in told for change in event["tableChanges"]] == [quoted]


def test_rows_of_a_condition_are_read_and_no_others(shop: Shop) -> None:
    stream = Stream(shop).run()
    with meanwhile(shop.step):
        ask(shop, "a", "T", **{"additional-conditions": [{"data-collection": shop.named("T"), "filter": "K < 7"}]})
        stream.run(until=lambda: bool(stream.events()) and not stream.is_at_work)
    assert [event["after"]["K"] for event in stream.events()] == [0, 2, 4, 6]


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_a_table_that_was_altered_lately_is_read_when_that_is_captured_and_the_log_goes_on_meanwhile(
    shop: Shop, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is captured between two steps counts: what has to be passed is noted in the first one."""
    monkeypatch.setattr(requested_parts, "KEY_SECONDS", 0.0)
    stream = Stream(shop).run()
    shop.sql("ALTER TABLE S.T ADD M INTEGER")
    shop.capture_all()
    ask(shop, "a", "T", type=kind)
    reader = CdcReader(job_of(stream.options))
    with closing(reader._signals):
        waiting = json.loads(json.dumps(reader.latestOffset(stream.end, ALL)))
        assert "snapshot" not in waiting
        assert waiting["signalled"]["tables" if kind == "incremental" else "blocking"]
        shop.sql("INSERT INTO S.OTHER VALUES (2)")
        for _ in range(3):
            shop.step()
        end = reader.latestOffset(waiting, ALL)
    assert end.get("snapshot"), end


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_what_a_signal_brings_chooses_rows_and_does_nothing_else(
    shop: Shop, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    stream = Stream(shop).run()
    begun = "1=1" if kind == "incremental" else "SELECT * FROM S.T"
    condition = {
        "data-collection": shop.named("T"),
        "filter": f"{begun}) DROP TABLE S.OTHER SELECT * FROM (SELECT 1 AS a",
    }
    with meanwhile(shop.step):
        ask(shop, "a", "T", type=kind, **{"additional-conditions": [condition]})
        stream.run(until=lambda: "additional-conditions are refused" in caplog.text and not stream.is_at_work)
    assert stream.events() == []
    shop.sql("SELECT * FROM S.OTHER")


def test_a_table_of_signals_that_is_captured_too_is_no_reason_to_hear_them_twice(shop: Shop) -> None:
    shop.capture(SIGNALS)
    stream = Stream(shop, table_include_list="S[.]T").run()
    with meanwhile(shop.step):
        ask(shop, "a", "T")
        stream.run(until=lambda: bool(stream.events()) and not stream.is_at_work)
        stream.run()
    assert sorted(event["after"]["K"] for event in stream.events()) == list(range(0, ROWS, 2))


def test_typed_rows_that_are_read_again_stand_behind_the_changes_before_them(shop: Shop) -> None:
    stream = Stream(shop, output="rows", table_include_list="S[.]T").run()
    shop.sql("UPDATE S.T SET N = 5 WHERE K = 4")
    shop.capture_all()
    with meanwhile(shop.step):
        ask(shop, "a", "T")
        stream.run(until=lambda: len(stream.batches) > 1 and not stream.is_at_work)
    rows = sorted(
        (row for _, _, read in stream.batches for task in read for row in task), key=lambda row: row["_sequence"]
    )
    assert [(row["_op"], row["N"]) for row in rows if row["K"] == 4] == [("u", 5), ("r", 5)]
    assert len(rows) == ROWS // 2 + 1


def test_a_snapshot_that_is_paused_rests_until_it_is_resumed(shop: Shop) -> None:
    stream = Stream(shop).run()
    with meanwhile(shop.step):
        ask(shop, "a", "T")
        signal(shop, "b", "pause-snapshot")
        stream.run()
        assert (stream.events(), stream.is_at_work) == ([], True)
        signal(shop, "c", "resume-snapshot")
        stream.run(until=lambda: bool(stream.events()) and not stream.is_at_work)
    assert sorted(event["after"]["K"] for event in stream.events()) == list(range(0, ROWS, 2))


def test_somebody_amid_a_signal_does_not_stop_the_log(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlserver_polling, "LOCK_MS", 50)  # Db2 waits for whole seconds
    stream = Stream(shop).run()
    with held(shop, BLOCKS[type(shop)]):
        shop.sql("INSERT INTO S.T VALUES (1001, 1)")
        shop.capture_all()
        assert stream.next()
    assert [event["after"]["K"] for event in stream.events()] == [1001]
    assert "the table of signals can't be looked into now" in caplog.text


def test_a_table_that_is_not_captured_any_more_when_its_part_is_read_is_left_out(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    stream = Stream(shop).run()
    ask(shop, "a", "T")
    end = stream.end
    while not end.get("snapshot"):
        start, end = end, next_batch(stream.options, end)
    shop.uncapture("T")
    with meanwhile(shop.step):
        assert [row for task in tasks(stream.options, start, end) for row in task if row["topic"].endswith(".T")] == []
    assert "of the snapshot that a signal asked for, is not read" in caplog.text


def test_what_cannot_be_read_is_left_out_and_the_log_goes_on(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    shop.sql("CREATE TABLE S.BARE (N INTEGER)")
    shop.capture("BARE")
    stream = Stream(shop).run()
    ask(shop, "a", "nowhere", "BARE")
    signal(shop, "b", "execute-snapshot", **{"data-collections": ["ELSEWHERE.T"]})
    shop.sql("INSERT INTO S.T VALUES (1001, 1)")
    shop.capture_all()
    stream.run()
    assert [event["after"]["K"] for event in stream.events()] == [1001]
    assert not stream.is_at_work
    assert "BARE that a signal asked for ends here, and the log goes on" in caplog.text
