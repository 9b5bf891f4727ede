"""Takes snapshots with a connector: lanes in turn, with stops and restarts, and checks of the resulting events."""

import json
from dataclasses import dataclass, field
from functools import partial

from support.encoding import encoded
from support.reading import Read, told_in
from support.signalling import stored
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, Progress


@dataclass
class Snapshot:
    """What the lanes gave: records of each topic in the order in which they came, and where to go on.

    `told` has all of them in order, each with its topic and its partition.
    """

    progress: Progress
    history: list
    topics: dict = field(default_factory=dict)
    told: list = field(default_factory=list)
    figures: list = field(default_factory=list)
    waves: int = 0

    def payloads(self, topic):
        values = [json.loads(record["value"]) for record in self.topics.get(topic, [])]
        return [value.get("payload", value) for value in values]

    def rows(self, topic):
        return [value["after"] for value in self.payloads(topic)]

    def marks(self, topic):
        return [value["source"]["snapshot"] for value in self.payloads(topic)]

    def then(self):
        """A reading of the log that goes on where the snapshot is of."""
        return Read(Progress(self.progress.delivered, self.progress.restart), list(self.history))


def begun(settings, lanes, after=()):
    point = connector_for(settings).start_point(lanes, after)
    return Snapshot(stored(point.progress), list(point.history))


def taken(settings, lanes=1, stop_every=None, between=lambda: None, after=(), counts=lambda _: True):
    """A whole snapshot; every so many batches of a lane it goes on from its progress with a new reader.

    What can't be committed then is read again, and not stopped a second time. `counts` says which batches are meant.
    """
    snapshot = begun(settings, lanes, after)
    between()
    states = [snapshot.progress] * lanes
    pending = set(range(lanes))
    readers = {}
    since = dict.fromkeys(pending, 0)
    uncommitted = {lane: [] for lane in pending}
    dropped = set()
    while pending:
        for lane in sorted(pending):
            if lane not in readers:
                connector = connector_for(settings)
                others = partial(_others, states, lane)
                reader = connector.snapshot(Lane(lane, lanes), states[lane], tuple(snapshot.history), others)
                readers[lane] = encoded(reader, settings)
                since[lane] = 0
            batch = next(readers[lane], None)
            if batch is None:  # it waits for the others, to tell the end
                readers.pop(lane)
                continue
            uncommitted[lane].append(batch)
            if not batch.is_open:
                for each in uncommitted[lane]:
                    take(snapshot, each)
                uncommitted[lane].clear()
                dropped.discard(lane)
                states[lane] = stored(batch.progress)
            since[lane] += counts(batch)
            between()
            if not states[lane].snapshot_is_pending:
                pending.discard(lane)
            elif stop_every and since[lane] >= stop_every and lane not in dropped:
                readers.pop(lane).close()
                if uncommitted[lane]:
                    uncommitted[lane].clear()
                    dropped.add(lane)
    for reader in readers.values():
        assert list(reader) == []
    assert all(state.without_figures == states[0].without_figures for state in states), (
        "lanes that are done stand alike"
    )
    snapshot.progress = states[0]
    return snapshot


def _others(states, lane):
    return [state for number, state in enumerate(states) if number != lane]


def take(snapshot, batch):
    snapshot.waves += 1
    snapshot.figures.append(batch.figures)
    told = told_in(batch)
    snapshot.told += told
    for topic, _, record in told:
        snapshot.topics.setdefault(topic, []).append(record)


def linear(reads, changes):
    """The rows by key after all events, each of which has to fit what was there before it.

    Args:
        reads: (key, value) of read events, of which each key may come once.
        changes: (key, value) of the log after them, tombstones left out.

    """
    table = {}
    for key, value in reads:
        assert value["op"] == "r"
        assert key not in table, f"{key} is read twice"
        table[key] = value["after"]
    for key, value in changes:
        if value["op"] == "c":
            assert key not in table, f"{key} is created and was there: {value['source']}"
            table[key] = value["after"]
        elif value["op"] == "u":
            assert table[key] == value["before"], value["source"]
            table[key] = value["after"]
        else:
            assert value["op"] == "d"
            assert table.pop(key) == value["before"], value["source"]
    return table


def keyed(records):
    """(key, value) of records, without tombstones."""
    return [(record["key"], json.loads(record["value"])) for record in records if record["value"]]
