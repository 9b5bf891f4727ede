"""What a registry calls a schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from tailrace.encoding.avro.schema_text import AvroSchema


@dataclass(frozen=True, slots=True)
class SchemaId:
    """The id of a schema in a registry.

    Attributes:
        number: the id; Apicurio's content id or global id.
        guid: the globally unique id; only newer registries of Confluent give one.

    """

    number: int
    guid: UUID | None = None


class SchemaIds(Protocol):
    """Something that knows the ids of schemas, or registers them."""

    def id_for(self, topic: str, schema: AvroSchema) -> SchemaId:
        """The id of the schema of keys, or of values, of a topic.

        Raises:
            RegistryError: the registry refuses it, or lacks it.
            RegistryUnavailableError: the registry does not answer.

        """
        ...

    def close(self) -> None:
        """Close the connection; it is opened again when it is needed."""
        ...
