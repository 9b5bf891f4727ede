"""Notifications, for the topic of `notification.sink.topic.name`.

The records' schemas keep Debezium's names whatever `schema.name.adjustment.mode` says, as they do there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tailrace.changes.layouts import layout_of_values, values_by_field
from tailrace.changes.outline import Outline
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, Objects, SourceRecords, every_record
from tailrace.notifications.model import Notification
from tailrace.schema.connect import Field, Schema, Type

_STRING: Final = Schema(Type.STRING)
NOTIFICATION_KEY: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.NotificationKey",
    version=1,
    fields=(Field("id", _STRING),),
)
NOTIFICATION_VALUE: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.Notification",
    version=1,
    fields=(
        Field("id", _STRING),
        Field("type", _STRING),
        Field("aggregate_type", _STRING),
        Field("additional_data", Schema(Type.MAP, optional=True, keys=_STRING, items=_STRING)),
        Field("timestamp", Schema(Type.INT64)),
    ),
)
_KEY: Final = layout_of_values(NOTIFICATION_KEY, 0, 0)
_VALUE: Final = layout_of_values(NOTIFICATION_VALUE, 0, 0)  # its first field is the key's


@dataclass(frozen=True, slots=True)
class Notifications:
    """An `Event`: notifications for the sink.

    Attributes:
        topic: `notification.sink.topic.name`.
        notifications: in order.
        position: the text of the position up to which everything is delivered.
        rank: the number of events before them in their batch.

    """

    topic: str
    notifications: Sequence[Notification]
    position: str
    rank: int

    def __len__(self) -> int:
        return len(self.notifications)

    def outline(self) -> Outline:
        """What is known of their size."""
        told = sum(len(f"{each.id}{each.type}{each.aggregate_type}{each.additional_data}") for each in self.notifications)
        return Outline(len(self), _KEY, _VALUE, told, told)

    def source_records(self) -> SourceRecords:
        """A record for each."""
        n = len(self)
        values = [{field.name: getattr(each, field.name) for field in NOTIFICATION_VALUE.fields} for each in self.notifications]
        return SourceRecords(
            kind=EventKind.NOTIFICATION,
            topic=self.topic,
            key=_KEY,
            value=_VALUE,
            columns=[Objects(each) for each in values_by_field(NOTIFICATION_VALUE, values)],
            roles=every_record(n),
            timestamps=np.array([each.timestamp for each in self.notifications], np.int64),
            positions=binary_of([self.position.encode()] * n),
            # ranks of events are in the high 32 bits, as in every event, so that the order within one fits below
            log_order=(self.rank << 32) + np.arange(n, dtype=np.int64),
        )
