"""The properties of Debezium 3.6's Db2 connector: its documentation, its sources, and Kafka Connect's own."""

from __future__ import annotations

from tailrace.config.properties import connect, history, own, signals
from tailrace.config.properties import connection as any_connection
from tailrace.config.properties import events as any_events
from tailrace.config.properties import reading as any_reading
from tailrace.config.properties import selection as any_selection
from tailrace.config.properties import snapshots as any_snapshots
from tailrace.config.property import PropertyTables
from tailrace.connectors.change_tables.properties import HISTORY
from tailrace.connectors.db2.properties import connection, events, reading, selection, snapshots
from tailrace.connectors.db2.properties.effects import EFFECTS, MEANT
from tailrace.schema import event_shapes

TABLES = PropertyTables(
    (
        (any_connection.GROUP, connection.PROPERTIES, connection.FAMILIES),
        (any_selection.GROUP, selection.PROPERTIES, any_selection.FAMILIES),
        (any_events.GROUP, events.PROPERTIES, events.FAMILIES),
        (any_reading.GROUP, reading.PROPERTIES, ()),
        (history.GROUP, HISTORY, history.FAMILIES),
        (any_snapshots.GROUP, snapshots.PROPERTIES, any_snapshots.FAMILIES),
        (
            signals.GROUP,
            (signals.table("schema.table` or `database.schema.table"), *signals.PROPERTIES),
            signals.FAMILIES,
        ),
        (connect.GROUP, connect.PROPERTIES, connect.FAMILIES),
        (own.GROUP, (own.event_shape(event_shapes.SHAPE_2_1, event_shapes.SHAPE_1_4), *own.PROPERTIES), ()),
    ),
    EFFECTS,
    MEANT,
)
