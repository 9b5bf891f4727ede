"""Reads the log with a connector while signals arrive."""

import faulthandler
import json
import os
import sys
import time
from dataclasses import dataclass, field

from support.encoding import records_of
from support.reading import plain
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, LogRange, Progress
from tailrace_standins.servers.db2_server import URL

SECONDS = 300.0 if os.environ.get(URL) else 60.0  # a given Db2's Capture program takes its time for each step
HUNG_SECONDS = SECONDS / 3  # without a batch: it is shown then what each thread waits for
GONE = object()


@dataclass
class Followed:
    """A lane that follows the log: what came of it, and where it stands."""

    settings: object
    progress: Progress
    history: list
    lane: Lane = field(default=Lane())
    topics: dict = field(default_factory=dict)
    figures: list = field(default_factory=list)
    batches: int = 0

    def until(self, done, stop_every=None, between=lambda: None):
        """Read on until `done()` is true between two batches; every so many batches with a new reader."""
        deadline = time.monotonic() + SECONDS
        while not self._some(done, stop_every, between, deadline):
            pass
        return self

    def _some(self, done, most, between, deadline):
        reader = self.connector().read(
            LogRange(self.progress.restart, None, None, self.lane), self.progress, tuple(self.history)
        )
        longest, begun = 0.0, time.monotonic()
        try:
            faulthandler.dump_traceback_later(HUNG_SECONDS, file=sys.__stderr__)
            for count, batch in enumerate(reader, 1):
                longest = max(longest, time.monotonic() - begun)
                self.take(batch)
                if done():
                    return True
                assert time.monotonic() < deadline, (
                    f"not done in {SECONDS} s, {longest:.1f} s of them without a batch: {self.progress}"
                )
                between()
                if count == most:
                    return False
                begun = time.monotonic()
                faulthandler.dump_traceback_later(HUNG_SECONDS, file=sys.__stderr__)
        finally:
            faulthandler.cancel_dump_traceback_later()
            reader.close()
        raise AssertionError("a reading without an end has ended")

    def connector(self):
        return connector_for(self.settings)

    def take(self, batch):
        self.batches += 1
        self.figures += [] if batch.figures is None else [batch.figures]
        self.progress = stored(batch.progress)
        self.history += json.loads(json.dumps(list(batch.history)))
        for records in records_of(batch, self.settings):
            for i in range(len(records)):
                self.topics.setdefault(records.topic, []).append(plain(records, i))

    def has_passed(self, head):
        """Whether everything before a restart position is delivered."""
        wanted = place(head)
        return lambda: place(self.progress.restart) >= wanted

    def is_idle(self):
        """Whether nothing that signals asked for is left."""
        return not {"tables", "blocking"} & set(self.progress.signalled or {})

    def payloads(self, topic):
        values = [json.loads(record["value"]) for record in self.topics.get(topic, []) if record["value"]]
        return [value.get("payload", value) for value in values]

    def marked(self, topic):
        """(op, mark) of each event."""
        return [(value["op"], value["source"]["snapshot"]) for value in self.payloads(topic)]

    def notifications(self, topic="notices"):
        """Of incremental snapshots."""
        told = (value for value in self.payloads(topic) if value["aggregate_type"] == "Incremental Snapshot")
        return [(value["type"], value["additional_data"]) for value in told]


def place(restart):
    """Of a position: MySQL's, or that of one database of SQL Server."""
    if "file" in restart:
        return restart["file"], restart["pos"]
    (only,) = restart.values()
    return only["lsn"], "until" not in only


def begin(settings, lane=None):
    """A lane at the head of the log."""
    point = connector_for(settings).start_point()
    return Followed(settings, stored(Progress("", point.restart)), list(point.history), lane or Lane())


def signal_table(server, database):
    server.sql("CREATE TABLE signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32), data VARCHAR(2048))", database)


def signal(server, database, id_, type_, **data):
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO signals VALUES (%s, %s, %s)", (id_, type_, json.dumps(data)))


def execute(server, database, *names, id_="one", **more):
    signal(server, database, id_, "execute-snapshot", **{"data-collections": list(names)}, type="incremental", **more)


def read_all(followed, **how):
    """Until nothing is left to do, and the log of now is read."""
    head = followed.connector().head()
    passed = followed.has_passed(head)
    return followed.until(lambda: passed() and followed.is_idle(), **how)


def stored(progress):
    """As a sink gives it back."""
    fields = [progress.delivered, progress.restart, progress.stored_snapshot, progress.signalled]
    return Progress(*json.loads(json.dumps(fields)))


def consumed(records):
    """The rows that a consumer has after all events, each of which has to fit what it knows.

    It knows nothing at first. A key of which it was told is known: a read event must tell what it has already.
    """
    known = {}
    for record in records:
        if not record["value"]:
            continue
        key, value = record["key"], json.loads(record["value"])
        source = value["source"]
        if value["op"] == "r":
            assert known.get(key, value["after"]) == value["after"], f"stale: {value}"
        elif value["op"] == "c":
            assert known.get(key, GONE) is GONE, f"created twice: {source}"
        else:
            assert known.get(key, value["before"]) == value["before"], source
        known[key] = GONE if value["op"] == "d" else value["after"]
    return {key: row for key, row in known.items() if row is not GONE}
