"""TimezoneConverter: times of rows, and of the source block where it is named, in another time zone.

A time of day with an offset has no date, so that the zone's offset at another time counts: with Debezium of the moment when
it is converted, here of the record's own time, so that a range that is read again gives the same.

Source: Debezium's reference, "Timezone Converter"; comparison with the real one (tests/formats/test_timezone_converter.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from tailrace.changes.envelopes import is_envelope
from tailrace.changes.field_paths import Path, gathered, nulls_of, path_to, texts, values_are_null
from tailrace.changes.grouping import groups
from tailrace.changes.layout_edits import Edits, filled, named_nodes, with_columns, with_fields
from tailrace.changes.layouts import Column, Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Type
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.timezone_offsets import Zone
from tailrace.transforms.timezone_rules import Wanted, rules_of
from tailrace.transforms.timezone_values import CONVERTED, EPOCH_FIELDS, NOT_CONVERTED, converted, epochs

log = logging.getLogger(__name__)

_SOURCE = "source"
_IMAGES = ("before", "after", _SOURCE)
_Places = tuple[tuple[str, str], ...]  # of the fields: the struct and the name


class TimezoneConverter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self, making: Making, *, converted_timezone: str, include_list: tuple[str, ...], exclude_list: tuple[str, ...]
    ) -> None:
        self._failures = making.failures
        self._rules = rules_of(include_list, exclude_list)
        self._zone = Zone(converted_timezone)
        self._places = Edits(_places)
        self._values = Edits(_value)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records, those of one table together; what has no envelope stays as it is."""
        if not is_envelope(records.value.schema) or not len(records):
            return (records,)
        live = ~values_are_null(records)
        others, changes = records.where(~live), records.where(live)
        return [each for each in (others, *self._by_table(changes)) if len(each)]

    def _by_table(self, records: SourceRecords) -> Iterator[SourceRecords]:
        table = path_to(records.value.root, (_SOURCE, "table"))
        if table is None or table.schema.type is not Type.STRING or not len(records):
            yield self._converted(records, None)
            return
        names, places = texts(records, table)
        for chosen in groups([places]):
            yield self._converted(records.take(chosen), names[places[chosen[0]]])

    def _converted(self, records: SourceRecords, table: str | None) -> SourceRecords:
        wanted = self._rules.wanted(records.topic, table)
        places = () if wanted is None else self._places.of(records.value, wanted)
        if not places:
            return records
        columns = []
        for place in places:
            path = cast("Path", path_to(records.value.root, place))
            column = self._column(records, filled(path.node), place)
            if column is None:
                return self._failures.all_of(records, f"a text of {'.'.join(place)} is no time with an offset")
            columns.append(column)
        value = self._values.of(records.value, places, len(records.columns), len(records.roles))
        return replace(with_columns(records, columns, [np.arange(len(records), dtype=np.int32)]), value=value)

    def _column(self, records: SourceRecords, node: Node, place: tuple[str, str]) -> Vector | None:
        """The converted values of a field, one for each record."""
        vector = gathered(records, Path((node,)))
        if vector.length and nulls_of(records, Path((node,))).all():
            return vector
        name = node.schema.name
        if name is None:
            return epochs(place[1], vector, self._zone)
        return converted(name, vector, self._zone, records.timestamps // 1000)


def _places(layout: Layout, wanted: Wanted) -> _Places:
    """The fields of an envelope that are converted."""
    found = []
    for image in _IMAGES:
        struct = cast("Struct", layout.root).field(image)
        for name, node in named_nodes(struct) if isinstance(struct, Struct) else ():
            if not wanted.has(image, name):
                continue
            if node.schema.name in NOT_CONVERTED:
                log.warning("%s.%s stays as it is: times of the type %s have no time zone", image, name, node.schema.name)
            is_epoch = image == _SOURCE and name in EPOCH_FIELDS and node.schema.name is None
            if is_epoch or node.schema.name in CONVERTED:
                found.append((image, name))
    return tuple(found)


def _value(layout: Layout, places: _Places, first: int, role: int) -> Layout:
    """The envelope with other columns in these places."""
    slots = {place: slot for slot, place in enumerate(places, first)}
    root = cast("Struct", layout.root)
    pairs: list[tuple[str, Node]] = []
    for image, node in named_nodes(root):
        if not isinstance(node, Struct) or not any(place[0] == image for place in places):
            pairs.append((image, node))
            continue
        fields = [
            (name, Column(each.schema, slots[image, name], role) if (image, name) in slots else each)
            for name, each in named_nodes(node)
        ]
        pairs.append((image, with_fields(node, fields)))
    return Layout(with_fields(root, pairs), layout.lasting)


SPEC = TransformSpec(
    name="io.debezium.transforms.TimezoneConverter",
    doc="Times in another time zone.",
    properties=(
        Property(name="converted.timezone", required=True, doc="A time zone such as Europe/Paris, or an offset: +08:00."),
        Property(
            name="include.list",
            kind=Kind.LIST,
            doc="Only these: `source:table:field`, `topic:topic:field`, `name:field`.",
        ),
        Property(name="exclude.list", kind=Kind.LIST, doc="The same: all but these."),
    ),
    make=TimezoneConverter,
)
