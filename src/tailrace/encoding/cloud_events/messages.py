"""Keys or values as cloud events. What is no change event becomes null: tombstones, schema changes, heartbeats, and so on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from tailrace.changes.additions import Additions, CannotApplyError
from tailrace.changes.envelopes import is_envelope
from tailrace.changes.field_paths import Path, is_null, texts
from tailrace.changes.grouping import groups
from tailrace.changes.layout_edits import Edits
from tailrace.changes.layouts import Constant, Layout, Node, Struct
from tailrace.changes.records import Binary, Header, nulls
from tailrace.changes.source_records import Mask, SourceHeader, SourceRecords
from tailrace.changes.taking import taken
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_over
from tailrace.encoding.cloud_events.layouts import (
    OPERATION,
    SOURCE,
    TRANSACTION,
    AvroData,
    DataBytes,
    Names,
    Origin,
    event_layout,
)
from tailrace.encoding.cloud_events.metadata import DATA_SCHEMA_NAME, ID, TRACE_PARENT, TYPE
from tailrace.encoding.cloud_events.settings import CloudEventSettings
from tailrace.encoding.failed_records import failing, within
from tailrace.encoding.message_encoder import Messages
from tailrace.encoding.plain.columns import live
from tailrace.errors import DeliveryError

if TYPE_CHECKING:
    from tailrace.encoding.avro.messages import AvroMessages

_DATA_SUFFIX: Final = "-data"
"""Behind the topic's name, for the subject of data where the event is Avro, too."""


class CloudEventMessages:
    """Renders keys or values.

    Args:
        settings: of the converter.
        events: what writes events.
        avro: what writes data in Avro; None: they are a part of the event.

    """

    def __init__(self, settings: CloudEventSettings, events: Messages, avro: AvroMessages | None) -> None:
        self._settings = settings
        self._events = events
        self._avro = None if avro is None else AvroData(self._data_written(avro), self._schema_url)
        self._made: Edits[tuple[Layout, Additions]] = Edits(self._make)

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """One event for each record that is a change event, null for the others; and no headers.

        Raises:
            DeliveryError: Debezium's converter would fail on a record; the message names the topic.

        """
        there = live(layout, records, present)
        if there.any():
            with failing(there, DeliveryError):
                is_one = self._change_events(layout, records)
            there = there & is_one
        if not there.any():
            return nulls(len(records)), ()
        try:
            with within(there):
                made = self._rendered(layout, records.where(there))
        except CannotApplyError as error:
            raise DeliveryError(f"{records.topic}: a record can't become a cloud event: {error}") from None
        return _among_nulls(made, there), ()

    def _change_events(self, layout: Layout, records: SourceRecords) -> Mask:
        if self._settings.metadata.source:
            return _has(records, SOURCE) & _has(records, OPERATION)
        if layout.schema.name is None:
            raise DeliveryError(f"{records.topic}: CloudEventsConverter fails on a {layout.schema.type} without a schema name")
        return np.full(len(records), is_envelope(layout.schema))

    def _rendered(self, layout: Layout, records: SourceRecords) -> Binary:
        """The events of records that all become one."""
        headers = self._headers(records)
        parts, places = [], []
        for place, names in self._by_names(layout, headers, records):
            some = records if len(place) == len(records) else records.take(place)
            made, added = self._made.of(layout, headers, names, len(records.columns), len(records.roles))
            with within(np.isin(np.arange(len(records)), place)):
                parts.append(self._events.render_with_headers(made, added.added_to(some))[0])
            places.append(place)
        return parts[0] if len(parts) == 1 else taken(parts, np.argsort(np.concatenate(places)))

    def _make(
        self, layout: Layout, headers: tuple[tuple[str, Layout], ...], names: Names, slots: int, roles: int
    ) -> tuple[Layout, Additions]:
        added = Additions(slots, roles)
        struct = event_layout(_origin(layout, dict(headers), self._settings), names, self._settings, added, self._avro)
        return Layout(struct, layout.lasting), added

    def _headers(self, records: SourceRecords) -> tuple[tuple[str, Layout], ...]:
        """The headers that are read. Raises `CannotApplyError` if a record lacks one that it needs."""
        wanted = self._settings.metadata
        needed = {
            SOURCE: wanted.source, OPERATION: wanted.source, ID: wanted.id, TYPE: wanted.type,
            TRACE_PARENT: wanted.trace_parent, DATA_SCHEMA_NAME: wanted.data_schema_name,
        }  # fmt: skip
        found = [(name, self._header(records, name)) for name, is_needed in needed.items() if is_needed]
        transaction = _last(records, TRANSACTION) if wanted.source else None
        if transaction is not None:
            found.append((TRANSACTION, transaction.layout))
        return tuple(found)

    @staticmethod
    def _header(records: SourceRecords, name: str) -> Layout:
        header = _last(records, name)
        if header is None or not _has(records, name).all() or is_null(records, header.layout.root).any():
            raise CannotApplyError(f"it has no header {name!r}")
        return header.layout

    def _by_names(
        self, layout: Layout, headers: tuple[tuple[str, Layout], ...], records: SourceRecords
    ) -> Iterator[tuple[np.ndarray, Names]]:
        """Records by what is in the names of their schemas: their indices, ascending."""
        origin = _origin(layout, dict(headers), self._settings)
        source, header = origin.source, dict(headers).get(DATA_SCHEMA_NAME)
        paths: list[Path | None] = [_field(source, name) for name in ("connector", "name", "db")]
        paths.append(None if header is None else Path((header.root,)))
        found = [_texts(records, path) for path in paths]
        alike = all(len(distinct) == 1 for distinct, _ in found)
        for place in [np.arange(len(records))] if alike else groups([codes for _, codes in found]):
            some = [distinct[int(codes[place[0]])] for distinct, codes in found]
            yield place, Names(some[0] or "", some[1] or "null", some[2], some[3])

    def _data_written(self, avro: AvroMessages) -> DataBytes:
        suffix = _DATA_SUFFIX if self._settings.json is None else ""

        def written(layout: Layout, records: SourceRecords) -> Vector:
            return vector_over(avro.render(layout, records, None, records.topic + suffix), Kind.BYTES)

        return written

    def _schema_url(self, data: Vector) -> bytes:
        first = data.to_arrow()[0].as_py()
        number = int.from_bytes(first[1:5], "big", signed=True)  # the id as the prefix has it
        return f"{self._settings.registry}/schemas/ids/{number}".encode()


def _origin(layout: Layout, headers: dict[str, Layout], settings: CloudEventSettings) -> Origin:
    root = layout.root
    if not isinstance(root, Struct):
        raise CannotApplyError(f"it is a {layout.schema.type} and no struct")
    nodes = {name: each.root for name, each in headers.items()}
    if settings.metadata.source:
        transaction = Path((nodes[TRANSACTION],)) if TRANSACTION in nodes else None
        return Origin(root, Path((nodes[SOURCE],)), nodes[OPERATION], transaction, nodes)
    source, operation, block = (root.field(name) for name in (SOURCE, OPERATION, TRANSACTION))
    if source is None or operation is None:
        raise CannotApplyError("its envelope has no source block or operation")
    return Origin(root, Path((root, source)), operation, None if block is None else Path((root, block)), nodes)


def _field(source: Path, name: str) -> Path:
    found = source.node.field(name) if isinstance(source.node, Struct) else None
    if found is None:
        raise CannotApplyError(f"its source block has no field {name!r}")
    return Path((*source.nodes, found))


def _texts(records: SourceRecords, path: Path | None) -> tuple[list[str | None], np.ndarray]:
    """The distinct texts of a field, and which one each record has."""
    node: Node | None = None if path is None else path.node
    if path is None or isinstance(node, Constant):
        return [None if node is None else cast("Constant", node).value], np.zeros(len(records), np.int64)
    return texts(records, path)


def _last(records: SourceRecords, name: str) -> SourceHeader | None:
    return next((each for each in reversed(records.headers) if each.name == name), None)


def _has(records: SourceRecords, name: str) -> Mask:
    header = _last(records, name)
    if header is None:
        return np.zeros(len(records), np.bool_)
    return np.ones(len(records), np.bool_) if header.present is None else header.present


def _among_nulls(made: Binary, there: Mask) -> Binary:
    """The strings where `there` is true, and nulls."""
    if there.all():
        return made
    lengths = np.zeros(len(there), np.int64)
    lengths[there] = np.diff(made.offsets)
    offsets = np.zeros(len(there) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Binary(made.data, offsets + made.offsets[0], there)
