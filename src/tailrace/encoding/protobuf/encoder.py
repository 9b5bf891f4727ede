"""Makes what writes keys or values in Protobuf, from the settings of the converter."""

from __future__ import annotations

from tailrace.encoding.protobuf.messages import ProtobufFormat
from tailrace.encoding.protobuf.schema_text import ProtobufSchema
from tailrace.encoding.protobuf.settings import ProtobufSettings
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.encoding.registered.settings import schema_ids_of


def protobuf_messages(settings: ProtobufSettings) -> RegisteredMessages[ProtobufSchema]:
    """What renders keys or values (`settings.part`); it connects to the registry when it has to."""
    return RegisteredMessages(
        settings.part, schema_ids_of(settings), settings.framing, ProtobufFormat(settings.options)
    )
