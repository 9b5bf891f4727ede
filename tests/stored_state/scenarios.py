"""The states that are stored: each function plays a story, and stops the connector in the middle of something.

`make.py` gives it a `Making`; what it plays after `making.stop()` happens while nobody reads, and is for the next version to
deliver.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from stored_state.stages import DATABASE
from stored_state.story import Story

if TYPE_CHECKING:
    from stored_state.make import Making
    from tailrace.connectors.base import Progress

NAMES = ("a", "b", "c", "k")
KEYLESS = "k"
SIGNALS = "signals"
SNAPSHOT = {"snapshot.mode": "initial"}
LOG = {"snapshot.mode": "no_data"}


@frozen(kw_only=True)
class Scenario:
    """One state.

    Attributes:
        make: plays it.
        kind: of database.
        way: `kafka`, `files` or `frame`.
        properties: of the connector.
        variants: properties that the next version is started with instead, each time from the same state.

    """

    name: str
    make: Callable[[Making], None]
    kind: str
    way: str
    properties: dict[str, str]
    gtid: bool = True
    metadata: str = "MINIMAL"
    variants: tuple[dict[str, str], ...] = ({},)


def tables(making: Making, *names: str, rows: int = 30) -> Story:
    """A database with tables of some rows, under capture."""
    story = making.story = Story(*names)
    if making.scenario.kind == "mysql":
        making.play(f"CREATE DATABASE {DATABASE}")
    making.play(*(story.create(name, keyed=name != KEYLESS) for name in names))
    making.play(*(story.insert(name, range(rows)) for name in names))
    if making.scenario.kind == "sqlserver":
        making.play(*(f"CAPTURE {name}" for name in names))
    return story


def transaction(making: Making, *statements: str) -> None:
    """All of it at once."""
    begin = "BEGIN TRAN" if making.scenario.kind == "sqlserver" else "BEGIN"
    if making.scenario.kind == "sqlserver":
        making.play("; ".join((begin, *statements, "COMMIT")))
    else:
        making.play(begin, *statements, "COMMIT")


def altered(making: Making, name: str) -> None:
    """Another column, which only the log tells of where its metadata is minimal."""
    making.play(making.story.alter(name))


def within_a_transaction(making: Making) -> None:
    """One lane, which has delivered the first events of a transaction and stands before an altered table."""
    story = tables(making, "a", "b")
    story.forget()
    making.begin()
    making.play(*story.some(0))
    if making.scenario.way == "files":
        making.run()
    making.lane(0)
    transaction(making, story.insert("a", range(2000, 2040)), story.update("b", range(4, 24)))
    making.lane(0, enough=is_within_a_transaction)
    making.stop()
    if making.scenario.kind == "mysql":
        altered(making, "a")
    making.play(*story.some(2))


def apart(lanes: int) -> Callable[[Making], None]:
    """Lanes each of which stands somewhere else, the first one furthest."""

    def make(making: Making) -> None:
        story = tables(making, *NAMES)
        story.forget()
        making.begin(lanes)
        for step in range(lanes - 1, -1, -1):
            making.play(*story.some(2 * step))
            for lane in range(step + 1):
                making.lane(lane)
        making.play(*story.some(10))
        making.lane(0)
        assert len({progress.delivered for progress in making.progress()}) == lanes
        making.stop()
        if making.scenario.kind == "mysql":
            altered(making, "b")
        making.play(*story.some(12))

    return make


def within_a_snapshot(lanes: int) -> Callable[[Making], None]:
    """Lanes within a snapshot: the first is through, the second is within a table, the third has not begun."""

    def make(making: Making) -> None:
        story = tables(making, *NAMES, rows=40)
        story.snapshot()
        making.begin_snapshot(lanes)
        making.play(*story.some(0))
        if lanes == 1:
            making.lane(0, snapshot=True, enough=is_within_a_table)
        else:
            making.lane(0, snapshot=True)
            making.lane(1, snapshot=True, enough=is_within_a_table)
            assert [progress.snapshot_is_pending for progress in making.progress()] == [False, True, True]
        making.play(*story.some(2))
        making.stop()
        making.play(*story.some(4))

    return make


def asked(making: Making, type_: str, *names: str) -> None:
    """A row in the signal table."""
    schema = "" if making.scenario.kind == "mysql" else ".dbo"
    data = {"data-collections": [f"{DATABASE}{schema}.{name}" for name in names], "type": type_}
    making.play(f"INSERT INTO {SIGNALS} VALUES ('one', 'execute-snapshot', '{json.dumps(data)}')")


def within_an_asked_snapshot(type_: str) -> Callable[[Making], None]:
    """One lane that a signal has asked for tables, of which some rows are delivered."""

    def make(making: Making) -> None:
        story = tables(making, "a", "b")
        making.play(f"CREATE TABLE {SIGNALS} (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32), data VARCHAR(2048))")
        if making.scenario.kind == "sqlserver":
            making.play(f"CAPTURE {SIGNALS}")
        story.forget()
        making.begin()
        for table in story.tables.values():
            table.read = list(table.rows.values())
        asked(making, type_, "a", "b")
        making.beside = type_ == "incremental"
        if making.beside:
            making.lane(0, enough=has_read_a_chunk)
            making.play(*story.some(20, "a"))
        else:
            making.lane(0, enough=is_within_a_blocking_snapshot)
        making.stop()
        making.play(*story.some(4))

    return make


def with_prepared_xa(making: Making) -> None:
    """One lane that has read rows of a prepared XA transaction, and changes after them."""
    story = tables(making, "a", "b")
    story.forget()
    making.begin()
    making.play("XA START 'x'", "INSERT INTO a (id, n, v) VALUES (500, 0, 'a0500')", "XA END 'x'", "XA PREPARE 'x'")
    making.play(*story.some(0))
    making.lane(0)
    assert making.progress()[0].restart.get("is_prepared")
    making.stop()
    story.insert("a", (500,))
    making.play("XA COMMIT 'x'")
    making.play(*story.some(2))


def imported(making: Making) -> None:
    """The place of a Debezium connector, some events into a transaction, and nothing delivered since."""
    story = tables(making, "a", "b")
    story.forget()
    making.begin()
    making.lane(0)
    before = making.stage.mark()
    events = story.tables["a"].events
    transaction(making, story.insert("a", range(2000, 2003)), story.insert("b", (2000,)))
    making.give_back([["a", *events[0]], ["a", *events[1]]])
    making.import_({"file": before[0], "pos": before[1], "gtids": before[2], "event": 1, "row": 2})
    making.stop()
    making.play(*story.some(2))


def frames_of_the_log(making: Making) -> None:
    """A DataFrame some batches into the log."""
    story = tables(making, "a", "b")
    story.forget()
    making.batches()
    making.play(*story.some(0))
    making.batches()
    transaction(making, story.insert("a", range(2000, 2010)), story.update("b", range(4, 24)))
    making.batches()
    making.stop()
    making.play(*story.some(2))


def frames_of_a_snapshot(making: Making) -> None:
    """A DataFrame some parts into the tables that it begins with."""
    story = tables(making, *NAMES, rows=40)
    story.snapshot()
    making.batches(1)
    making.play(*story.some(0))
    making.batches(1)
    assert making.last_offset["snapshot"]["reached"] is not None
    making.stop()
    making.play(*story.some(2))


def frames_of_a_signal(making: Making) -> None:
    """A DataFrame some parts into tables that a signal has asked for."""
    story = tables(making, "a", "b")
    making.play(f"CREATE TABLE {SIGNALS} (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32), data VARCHAR(2048))")
    if making.scenario.kind == "sqlserver":
        making.play(f"CAPTURE {SIGNALS}")
    story.forget()
    making.batches()
    for table in story.tables.values():
        table.read = list(table.rows.values())
    making.beside = True
    asked(making, "incremental", "a", "b")
    making.batches(1)
    making.play(*story.some(0))
    making.batches(1)
    assert making.last_offset["signalled"]["tables"]
    making.stop()
    making.play(*story.some(4))


def query(making: Making) -> None:
    """A query of Spark's whose last batch was planned, and not done."""
    story = tables(making, "a", "b")
    story.snapshot()
    making.query()
    making.play(*story.some(0))
    making.query_that_dies()
    making.stop()
    making.play(*story.some(2))


def is_within_a_transaction(progress: Progress) -> bool:
    """Whether some of it is delivered."""
    (restart,) = [progress.restart] if "file" in progress.restart else progress.restart.values()
    if "file" in restart:
        return progress.delivered > f"0000.{1:010d}.{restart['pos'] + 2000:015d}"
    return "until" in restart and restart["after"]["command"] > 5


def is_within_a_table(progress: Progress) -> bool:
    """Whether a lane has delivered some of a table in a snapshot that its progress is of."""
    return progress.snapshot is not None and _is_begun(progress.snapshot)


def is_within_a_blocking_snapshot(progress: Progress) -> bool:
    """The same of one that a signal asked for."""
    return "blocking" in (progress.signalled or {}) and _is_begun((progress.signalled or {})["blocking"].get("state", {}))


def has_read_a_chunk(progress: Progress) -> bool:
    """Whether an incremental snapshot has delivered some of its first table."""
    asked = (progress.signalled or {}).get("tables", [])
    return len(asked) > 1 and asked[0]["rows"] > 0


def _is_begun(part: Mapping[str, Any]) -> bool:
    segments = part.get("state", {}).get("segments", [])
    return any("after" in segment for segment in segments)


def _scenarios() -> tuple[Scenario, ...]:
    lanes: list[dict[str, Any]] = [{}, {"tasks.max": "1"}]
    found = []
    for kind, signals in (("mysql", f"{DATABASE}.{SIGNALS}"), ("sqlserver", f"{DATABASE}.dbo.{SIGNALS}")):
        own = {"database.include.list": DATABASE, "database.server.id": "8700"} if kind == "mysql" else {}
        signalled = {**own, **LOG, "signal.data.collection": signals}

        def scenario(name: str, make: Callable[[Making], None], way: str, properties: dict[str, str], **more: Any) -> None:
            found.append(
                Scenario(name=f"{kind}-{name}", make=make, kind=kind, way=way, properties=properties, **more)  # noqa: B023
            )

        scenario("one-lane", within_a_transaction, "kafka", {**own, **LOG})
        scenario("one-lane-to-files", within_a_transaction, "files", {**own, **LOG})
        scenario("lanes-apart", apart(3), "kafka", {**own, **LOG, "tasks.max": "3"}, variants=tuple(lanes))
        scenario("snapshot", within_a_snapshot(3), "kafka", {**own, **SNAPSHOT, "snapshot.max.threads": "3"})
        scenario("snapshot-to-files", within_a_snapshot(1), "files", {**own, **SNAPSHOT})
        scenario("incremental-snapshot", within_an_asked_snapshot("incremental"), "files", signalled)
        scenario("blocking-snapshot", within_an_asked_snapshot("blocking"), "files", signalled)
        frame = {"include.schema.changes": "false", "signal.poll.interval.ms": "1", "snapshot.max.threads": "2"}
        of_frames: dict[str, Any] = {"metadata": "FULL"}
        scenario("frame-log", frames_of_the_log, "frame", {**own, **LOG, **frame}, **of_frames)
        scenario("frame-snapshot", frames_of_a_snapshot, "frame", {**own, **SNAPSHOT, **frame}, **of_frames)
        plain = {"include.schema.changes": "false", "snapshot.max.threads": "2"}
        scenario("query", query, "query", {**own, **SNAPSHOT, **plain}, **of_frames)
        scenario("frame-signal", frames_of_a_signal, "frame", {**signalled, **frame}, **of_frames)
    own = {"database.include.list": DATABASE, "database.server.id": "8700"}
    found += [
        Scenario(
            name="mysql-without-gtids", make=within_a_transaction, kind="mysql", way="files", properties={**own, **LOG}, gtid=False
        ),
        Scenario(name="mysql-prepared-xa", make=with_prepared_xa, kind="mysql", way="files", properties={**own, **LOG}),
        Scenario(name="mysql-imported", make=imported, kind="mysql", way="files", properties={**own, **LOG}),
    ]
    return tuple(found)


SCENARIOS = _scenarios()
