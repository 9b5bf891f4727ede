"""What stands around a datum so that readers find its schema: a prefix with the id, or headers.

Confluent's prefix is a zero byte and the id in four bytes; Apicurio's is the same, and that of its older versions has eight
bytes. In headers Confluent puts the schema's GUID, Apicurio its id in eight bytes and the encoding.
"""

from __future__ import annotations

import enum
from typing import Final

from tailrace.errors import DeliveryError
from tailrace.registry.schemas import SchemaId

MAGIC: Final = b"\x00"
_GUID_MAGIC: Final = b"\x01"

ConstantHeader = tuple[str, bytes]
"""A header that has the same value in all records of a schema."""


class Framing(enum.Enum):
    """Where the id of a schema stands."""

    PREFIX_4 = "prefix of 4 bytes"
    PREFIX_8 = "prefix of 8 bytes"
    GUID_HEADER = "header with a GUID"
    CONTENT_ID_HEADER = "header with a content id"
    GLOBAL_ID_HEADER = "header with a global id"
    JSON_MEMBER = "member of a JSON object"


def prefix_of(framing: Framing, schema_id: SchemaId, place: bytes = b"") -> bytes:
    """The bytes before each datum; `place` stands behind the id and tells which type of the schema it is."""
    if framing is Framing.PREFIX_4:
        return MAGIC + _bytes(schema_id.number, 4) + place
    if framing is Framing.JSON_MEMBER:
        return b'{"schemaId":%d,"payload":' % schema_id.number
    return MAGIC + _bytes(schema_id.number, 8) + place if framing is Framing.PREFIX_8 else b""


def headers_of(framing: Framing, schema_id: SchemaId, part: str, place: bytes = b"") -> tuple[ConstantHeader, ...]:
    """The headers of each record with a datum; `part` is `key` or `value`, `place` as of `prefix_of`.

    Raises:
        DeliveryError: the registry has given no GUID, and the header needs one.

    """
    if framing is Framing.GUID_HEADER:
        if schema_id.guid is None:
            raise DeliveryError(
                f"{part}.schema.id.serializer: the header __{part}_schema_id needs the schema's GUID, which the registry does "
                f"not give for schema {schema_id.number}: it is too old, or another product. Use PrefixSchemaIdSerializer"
            )
        return ((f"__{part}_schema_id", _GUID_MAGIC + schema_id.guid.bytes + place),)
    if framing in {Framing.CONTENT_ID_HEADER, Framing.GLOBAL_ID_HEADER}:
        name = "contentId" if framing is Framing.CONTENT_ID_HEADER else "globalId"
        return (f"apicurio.{part}.{name}", _bytes(schema_id.number, 8)), (f"apicurio.{part}.encoding", b"BINARY")
    return ()


def _bytes(number: int, size: int) -> bytes:
    try:
        return number.to_bytes(size, "big")
    except OverflowError:
        raise DeliveryError(
            f"the schema's id {number} does not fit into {size} bytes: use apicurio.registry.id-handler="
            "io.apicurio.registry.serde.Legacy8ByteIdHandler"
        ) from None
