"""A toy database is signalled to, by the loop that reads change tables of any database."""

from __future__ import annotations

import random

import pytest
from tests.connectors.change_tables.toy import Toy
from tests.connectors.change_tables.toy_connector import SIGNALLED, ToyConnector, execute
from tests.connectors.change_tables.toy_stream import written

from support.signalling import consumed, read_all

TOPICS = {"a": "server1.toydb.main.a", "b": "server1.toydb.main.b"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.capture.POLL_SECONDS", 0.0)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.incremental.POLL_MS", 1)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.pending_chunks.PENDING_BYTES", 1)


@pytest.mark.parametrize("stop_every", [None, 3, 4])
@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_what_a_signal_asks_for_leaves_a_consumer_with_the_tables_however_often_it_stops(
    toy: Toy, kind: str, stop_every: int | None
) -> None:
    toy.create_signals()
    chosen = random.Random(1)
    written(toy, chosen, 30)
    toy.capture()

    def between() -> None:
        if len(toy.journal) < 60:
            written(toy, chosen, 1)

    followed = ToyConnector(toy, between, **SIGNALLED).begun()
    execute(toy, kind, "a", "b")
    toy.capture()
    read_all(followed, stop_every=stop_every, between=lambda: toy.capture(1))
    toy.capture()
    read_all(followed)
    assert len(toy.journal) > 31
    reads = {name: sum(op == "r" for op, _ in followed.marked(topic)) for name, topic in TOPICS.items()}
    assert all(count > 4 for count in reads.values())
    rows = {
        name: {row["k"]: row["v"] for row in consumed(followed.topics[topic]).values()} for name, topic in TOPICS.items()
    }
    assert rows == {name: toy.rows(name) for name in TOPICS}
    kinds = {value["aggregate_type"] for value in followed.payloads("notices")}
    assert kinds == {"Incremental Snapshot" if kind == "incremental" else "Initial Snapshot"}
