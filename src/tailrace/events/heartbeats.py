"""Heartbeats: periodic records that show that the connector is alive.

A heartbeat contains only the time. Its purpose is that something is delivered, and with it the current progress, even while no
captured table changes. Names and schemas are Debezium's.

A task lives for a few seconds, and the interval may be much longer. The time of the last heartbeat is therefore kept by the
process, not by the reader. A process without one assumes that it was at a multiple of the interval since the epoch, so
that the rate is about right even if each task runs in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tailrace.changes.layouts import Column, Constant, Layout, Struct
from tailrace.changes.outline import NUMBER, Outline
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, SourceRecords, every_record
from tailrace.changes.vectors import integers
from tailrace.config.settings import Settings
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import SHAPE_1_4
from tailrace.schema.names import Names

KEY_NAME, VALUE_NAME = "io.debezium.connector.common.ServerNameKey", "io.debezium.connector.common.Heartbeat"

_last_beats: dict[str, float] = {}  # by topic: seconds since the epoch


class Timer:
    """Knows when a topic's next heartbeat is due."""

    def __init__(self, topic: str, interval_ms: int, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives seconds since the epoch."""
        self._topic = topic
        self._interval = interval_ms / 1000
        self._clock = clock
        now = clock()
        _last_beats.setdefault(topic, now - now % self._interval)

    def milliseconds_left(self) -> float:
        """The time until the next one; 0 if it is due."""
        now = self._clock()
        last = min(_last_beats[self._topic], now)  # a clock that was set back must not stop heartbeats
        return max(0.0, last + self._interval - now) * 1000

    def hurry(self) -> None:
        """Make the next one due now."""
        _last_beats[self._topic] = self._clock() - self._interval

    def restart(self) -> None:
        """Note that a heartbeat was sent."""
        _last_beats[self._topic] = self._clock()


class HeartbeatLayouts:
    """The topic and the layouts of heartbeats."""

    def __init__(self, settings: Settings) -> None:
        names = Names(settings)
        self.topic, self._prefix = names.heartbeat_topic, settings.topic_prefix
        server, moment = Field("serverName", Schema(Type.STRING)), Field("ts_ms", Schema(Type.INT64))
        version = None if settings.tailrace_event_shape == SHAPE_1_4 else 1
        key = Schema(Type.STRUCT, name=names.schema_name(KEY_NAME), version=version, fields=(server,))
        value = Schema(Type.STRUCT, name=names.schema_name(VALUE_NAME), version=version, fields=(moment,))
        self.key = Layout(Struct(key, (Constant(server.schema, self._prefix),)))
        self.value = Layout(Struct(value, (Column(moment.schema, 0, 0),)))

    def heartbeat(self, ts_ms: int, position: str, rank: int) -> Heartbeat:
        """One heartbeat.

        Args:
            ts_ms: its time, milliseconds since the epoch.
            position: the text of the position up to which everything is delivered.
            rank: the number of events before it in its batch.

        """
        return Heartbeat(self, ts_ms, position, rank)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """An `Event`: one heartbeat; see `HeartbeatLayouts.heartbeat`."""

    layouts: HeartbeatLayouts
    ts_ms: int
    position: str
    rank: int

    def __len__(self) -> int:
        return 1

    def outline(self) -> Outline:
        """What is known of its size."""
        return Outline(1, self.layouts.key, self.layouts.value, NUMBER, NUMBER)

    def source_records(self) -> SourceRecords:
        """One record."""
        time_ms = np.array([self.ts_ms], np.int64)
        return SourceRecords(
            kind=EventKind.HEARTBEAT,
            topic=self.layouts.topic,
            key=self.layouts.key,
            value=self.layouts.value,
            columns=(integers(time_ms),),
            roles=every_record(1),
            timestamps=time_ms,
            positions=binary_of([self.position.encode()]),
            log_order=np.array([self.rank << 32], np.int64),
            partition=0,
        )
