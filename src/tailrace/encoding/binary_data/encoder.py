"""Bytes as they are; everything else is the delegate's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace.changes.layouts import Layout
from tailrace.changes.records import Binary, Header
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.encoding.binary_data.settings import DELEGATE, BinaryDataSettings
from tailrace.encoding.failed_records import failing
from tailrace.encoding.message_encoder import Messages
from tailrace.encoding.nested import nested_messages, nested_schema_ids
from tailrace.encoding.plain.columns import is_there, live, of_own_class
from tailrace.encoding.plain.messages import ByteMessages
from tailrace.errors import DeliveryError
from tailrace.schema.connect import Type

if TYPE_CHECKING:
    from tailrace.registry.schemas import SchemaIds


class BinaryDataMessages:
    """Renders keys, values or headers; `delegate` is for what is not bytes."""

    def __init__(self, part: str, delegate: Messages | None) -> None:
        self._part = part
        self._bytes = ByteMessages(part)
        self._delegate = delegate

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """One byte string for each record, null where `present` is false; and no headers.

        Raises:
            DeliveryError: a record is not bytes, and there is no delegate; or the delegate can't write it.

        """
        schema = layout.schema
        if schema.type is Type.BYTES:  # a decimal, which Java has another class for, unless it is null
            present = live(layout, records, present)
        if not is_there(records, present).any() or (schema.type is Type.BYTES and of_own_class(schema)):
            return self._bytes.render_with_headers(layout, records, present)
        if self._delegate is None:
            with failing(is_there(records, present), DeliveryError):
                raise DeliveryError(
                    f"{records.topic}: a {self._part} is {schema.name or schema.type} and no bytes: set "
                    f"{self._part}.converter.{DELEGATE}, such as org.apache.kafka.connect.json.JsonConverter"
                )
        return self._delegate.render_with_headers(layout, records, present)[0], ()


def binary_data_messages(settings: BinaryDataSettings) -> BinaryDataMessages:
    """What renders keys, values or headers."""
    delegate = None if settings.delegate is None else nested_messages(settings.delegate)
    return BinaryDataMessages(settings.part, delegate)


def binary_data_schema_ids(settings: BinaryDataSettings) -> SchemaIds | None:
    """The client of the delegate's registry, if it has one."""
    return nested_schema_ids(settings.delegate)
