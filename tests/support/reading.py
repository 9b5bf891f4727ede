"""Reads a server's log with a connector, without interruption or with stops and restarts."""

import json
import re
from dataclasses import dataclass, field

from support.encoding import encoded, records_of
from support.mysql_settings import settings_for
from tailrace.connectors.base import Lane, LogRange, Progress
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.streaming import LogReader

NOW_US = 1_700_000_000_000_000
ONLY_LANE = Lane()
SMALL_BLOCK = 300  # bytes: not even one event fits, so blocks grow to the longest event so far


@dataclass
class Read:
    """What reading gave: records of each topic, and where it stands."""

    progress: Progress
    history: list
    topics: dict = field(default_factory=dict)
    batches: int = 0
    delivered: list = field(default_factory=list)

    def take(self, batch):
        self.progress = batch.progress
        self.delivered.append(batch.progress.delivered)
        self.history += json.loads(json.dumps(list(batch.history)))
        self.batches += 1
        for topic, _, record in told_in(batch):
            self.topics.setdefault(topic, []).append(record)

    def values(self, topic):
        return [json.loads(record["value"]) if record["value"] else None for record in self.topics.get(topic, [])]

    def payloads(self, topic):
        return [value["payload"] if value and "payload" in value else value for value in self.values(topic)]


def told_in(batch):
    """The records of a batch, each with its topic and its partition."""
    return [(each.topic, each.partition, plain(each, i)) for each in records_of(batch) for i in range(len(each))]


def plain(records, i):
    headers = {header.name: header.values[i] for header in records.headers if header.values[i] is not None}
    return {
        "position": records.positions[i].decode(),
        "key": records.keys[i],
        "value": records.values[i],
        "headers": headers,
        "timestamp": int(records.timestamps[i]),
    }


def begin(server, **changes):
    """Settings, and a reading that stands at the head of the log."""
    settings = settings_for(server, **changes)
    point = MySqlConnector(settings).start_point()
    return settings, Read(Progress("", point.restart), list(point.history))


def fresh(read):
    return Read(read.progress, list(read.history))


def batches(settings, read, until=None, now_us=NOW_US, lane=ONLY_LANE, **options):
    """The batches of a new reader that goes on where `read` stands."""
    progress = Progress(read.progress.delivered, json.loads(json.dumps(read.progress.restart)))
    range_ = LogRange(progress.restart, until, now_us, lane)
    return encoded(LogReader(settings, range_, progress, tuple(read.history), **options).batches(), settings)


def read_on(settings, read, until=None, **options):
    """Read to the head of the log (or to `until`), in one go."""
    until = until or MySqlConnector(settings).head()
    for batch in batches(settings, read, until, **options):
        read.take(batch)
    return read


def read_with_stops(settings, read, every, **options):
    """The same with a new reader after every so many batches that had something new."""
    until, left = MySqlConnector(settings).head(), True
    while left:
        left, new = False, 0
        reader = batches(settings, read, until, **options)
        for batch in reader:
            new += batch.progress.delivered > read.progress.delivered
            read.take(batch)
            if new == every:
                left = True
                break
        reader.close()
    return read


def without_times(read):
    """The topics, with what depends on the moment of reading taken out of structures' first events."""
    return {topic: [_timeless(record) for record in records] for topic, records in read.topics.items()}


def _timeless(record):
    return {**record, "value": re.sub(rb'"ts_[mun]s":\d+', b"", record["value"] or b"")}
