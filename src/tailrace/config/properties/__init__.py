"""Every configuration property, gathered from the tables of this package.

The names are those of Debezium 3.6's MySQL connector page, of its sources, and of Kafka Connect where a
connector's configuration may hold them. `BY_NAME` knows current names, `ALIASES` leads from older names to
current ones.
"""

from __future__ import annotations

from attrs import evolve

from tailrace.config.properties import (
    connect,
    connection,
    events,
    history,
    own,
    reading,
    selection,
    signals,
    snapshots,
)
from tailrace.config.property import Family, Property

_TABLES: tuple[tuple[str, tuple[Property, ...], tuple[Family, ...]], ...] = (
    (connection.GROUP, connection.PROPERTIES, connection.FAMILIES),
    (selection.GROUP, selection.PROPERTIES, selection.FAMILIES),
    (events.GROUP, events.PROPERTIES, events.FAMILIES),
    (reading.GROUP, reading.PROPERTIES, reading.FAMILIES),
    (history.GROUP, history.PROPERTIES, history.FAMILIES),
    (snapshots.GROUP, snapshots.PROPERTIES, snapshots.FAMILIES),
    (signals.GROUP, signals.PROPERTIES, signals.FAMILIES),
    (connect.GROUP, connect.PROPERTIES, connect.FAMILIES),
    (own.GROUP, own.PROPERTIES, ()),
)

PROPERTIES: tuple[Property, ...] = tuple(
    evolve(each, group=group) for group, table, _ in _TABLES for each in table
)
FAMILIES: tuple[Family, ...] = tuple(
    evolve(each, group=group) for group, _, families in _TABLES for each in families
)
BY_NAME: dict[str, Property] = {each.name: each for each in PROPERTIES}
ALIASES: dict[str, str] = {alias: each.name for each in PROPERTIES for alias in each.aliases}


def family_of(name: str) -> Family | None:
    """The family that a name without a `Property` belongs to, or None."""
    return next((family for family in FAMILIES if family.pattern.fullmatch(name)), None)
