"""Makes what writes single values, from the settings of a converter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace.encoding.message_encoder import Messages
from tailrace.encoding.plain.messages import ByteMessages, NumberMessages
from tailrace.encoding.plain.settings import PlainSettings
from tailrace.schema.connect import Type

if TYPE_CHECKING:
    from tailrace.registry.schemas import SchemaIds


def plain_messages(settings: PlainSettings) -> Messages:
    """What renders keys, values or headers."""
    if settings.type is None:
        from tailrace.encoding.strings import StringMessages  # polars, which few need here

        return StringMessages(settings.encoding)
    if settings.type is Type.BYTES:
        return ByteMessages(settings.part)
    return NumberMessages(settings.part, settings.type)


def no_schema_ids(_settings: object) -> SchemaIds | None:
    """There is no registry."""
    return None
