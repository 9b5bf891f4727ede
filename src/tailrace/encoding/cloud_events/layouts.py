"""Layouts of cloud events, made of those of change events. No value is copied but those that become text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from tailrace.changes.additions import Additions, CannotApplyError
from tailrace.changes.envelopes import AFTER, BEFORE
from tailrace.changes.field_paths import Path
from tailrace.changes.layout_edits import filled, named_nodes, struct_of
from tailrace.changes.layouts import Column, Constant, Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.encoding.cloud_events.attributes import (
    NamedNode,
    SourceBlock,
    extension_name,
    knows_connector,
    transaction_extensions,
)
from tailrace.encoding.cloud_events.metadata import ID, TRACE_PARENT
from tailrace.encoding.cloud_events.metadata import TYPE as EVENT_TYPE
from tailrace.encoding.cloud_events.settings import DATA, CloudEventSettings
from tailrace.encoding.cloud_events.texts import TEXT, joined, once, time_text, with_plain_schema
from tailrace.schema.connect import Schema, Type
from tailrace.schema.names import schema_name_adjuster

SOURCE, OPERATION, TRANSACTION = "source", "op", "transaction"
_SPEC_VERSION: Final = "1.0"
_SUFFIX: Final = "CloudEvents.Envelope"


@dataclass(frozen=True, slots=True)
class Names:
    """What the names in an event's schemas are made of, the same for all records of a layout.

    Attributes:
        connector: of the source block.
        prefix: its name, which is the topic prefix.
        database: its database; None is written `null`.
        data: the name of the schema of data; None: it is generated.

    """

    connector: str
    prefix: str
    database: str | None
    data: str | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an event's parts are.

    Attributes:
        root: the whole value.
        source: the path to the source block.
        operation: the node of the operation.
        transaction: the path to the transaction's block, if there is one.
        headers: nodes from headers, by name.

    """

    root: Struct
    source: Path
    operation: Node
    transaction: Path | None
    headers: Mapping[str, Node]


DataBytes = Callable[[Layout, SourceRecords], Vector]
SchemaUrl = Callable[[Vector], bytes]


@dataclass(frozen=True, slots=True)
class AvroData:
    """How data become bytes: `written` gives them, `url` the text of `dataschema`."""

    written: DataBytes
    url: SchemaUrl


def event_layout(
    origin: Origin, names: Names, settings: CloudEventSettings, added: Additions, avro: AvroData | None
) -> Struct:
    """The cloud event of a change event; `avro` is for data in Avro.

    Raises:
        CannotApplyError: the records can't be events.

    """
    if not knows_connector(names.connector):
        raise CannotApplyError(f"its source block is of the connector {names.connector!r}, which has no cloud events")
    schema = Schema(Type.STRUCT, name=_schema_name(names, settings))
    return struct_of(schema, _fields(origin, names, settings, added, avro))


def _fields(
    origin: Origin, names: Names, settings: CloudEventSettings, added: Additions, avro: AvroData | None
) -> Iterator[NamedNode]:
    block = _block(origin, added)
    generated_type = Constant(TEXT, f"io.debezium.connector.{names.connector}.DataChangeEvent")
    yield ID, _from_header(origin, ID, added) if settings.metadata.id else block.id(names.connector)
    yield SOURCE, joined([("/debezium/", block.field("connector")), ("/", block.field("name"))], added)
    yield "specversion", Constant(TEXT, _SPEC_VERSION)
    yield EVENT_TYPE, _from_header(origin, EVENT_TYPE, added) if settings.metadata.type else generated_type
    yield "time", time_text(block.field("ts_ms"), added)
    yield "datacontenttype", Constant(TEXT, "application/avro" if avro else "application/json")
    data: Node = _data(origin, names, settings)
    if avro is not None:
        data, url = _as_bytes(Layout(data), avro, added)
        yield "dataschema", url
    if settings.tracing:
        yield TRACE_PARENT, _from_header(origin, TRACE_PARENT, added)
    if settings.extensions:
        yield extension_name(OPERATION), with_plain_schema(origin.operation, TEXT, added)
        yield from block.extensions()
        yield from transaction_extensions(origin.transaction, added)
    yield DATA, data


def _block(origin: Origin, added: Additions) -> SourceBlock:
    block = origin.source.node
    if not isinstance(block, Struct):
        raise CannotApplyError("its source block is no struct")
    around = tuple(each for each in origin.source.nodes[:-1] if isinstance(each, Struct))
    return SourceBlock(block, around, added)


def _from_header(origin: Origin, name: str, added: Additions) -> Node:
    node = origin.headers[name]
    if node.schema.type is not Type.STRING:
        raise CannotApplyError(f"its header {name!r} is a {node.schema.type} and no text")
    return with_plain_schema(filled(node), TEXT, added)


def _data(origin: Origin, names: Names, settings: CloudEventSettings) -> Struct:
    """Both images of an envelope; where metadata come from headers, all of the value."""
    schema = Schema(Type.STRUCT, name=names.data or f"io.debezium.connector.{names.connector}.Data")
    pairs = named_nodes(origin.root)
    if not settings.metadata.source:
        images = dict(pairs)
        if missing := [name for name in (BEFORE, AFTER) if name not in images]:
            raise CannotApplyError(f"its envelope has no field {missing[0]!r}")
        pairs = [(name, images[name]) for name in (BEFORE, AFTER)]
    return struct_of(schema, [(name, filled(node)) for name, node in pairs])


def _as_bytes(layout: Layout, avro: AvroData, added: Additions) -> tuple[Node, Node]:
    """Data as bytes, and the address of their schema, which holds for all records of a layout and topic."""
    slot = added.column(lambda records: avro.written(layout, records))
    url = once(lambda records: avro.url(cast("Vector", records.columns[slot])), added)
    return Column(Schema(Type.BYTES), slot, added.each_record()), url


def _schema_name(names: Names, settings: CloudEventSettings) -> str:
    name = settings.schema_name
    if name is None:
        database = "null" if names.database is None else names.database
        name = f"{names.prefix}.{database}.{_SUFFIX}"
    return schema_name_adjuster(settings.adjustment)(name)
