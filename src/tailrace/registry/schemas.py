"""What a registry is given, and what it gives: schemas and their ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SchemaId:
    """The id of a schema in a registry.

    Attributes:
        number: the id; Apicurio's content id or global id.
        guid: the globally unique id; only newer registries of Confluent give one.

    """

    number: int
    guid: UUID | None = None


@dataclass(frozen=True, slots=True)
class ReferringSchema:
    """A schema that refers to the records and enums in it, which are registered by themselves.

    Attributes:
        name: of the record or enum; "" if it is none.
        namespace: of the record or enum; "" if it has none.
        text: the schema, with names instead of what it refers to.
        references: what it refers to, each once.

    """

    name: str
    namespace: str
    text: str
    references: tuple[ReferringSchema, ...]

    @property
    def full_name(self) -> str:
        """The name with the namespace."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


class RegistrySchema(Protocol):
    """A schema that is registered."""

    @property
    def text(self) -> str:
        """The whole schema."""
        ...

    @property
    def record_name(self) -> str | None:
        """The full name of the record; None if it is no record."""
        ...

    @property
    def schema_type(self) -> str:
        """What kind of schema it is in Confluent's API: `AVRO`, `PROTOBUF` or `JSON`."""
        ...

    def difference(self, other: str, referred: Mapping[str, Any]) -> str | None:
        """Why a record would not be the same bytes with another schema's text; None: it would.

        `referred`: types of Avro that the text refers to.
        """
        ...

    @property
    def referring(self) -> ReferringSchema:
        """The schema as one that refers to others."""
        ...


class SchemaIds(Protocol):
    """Something that knows the ids of schemas, or registers them."""

    def id_for(self, topic: str, schema: RegistrySchema) -> SchemaId:
        """The id of the schema of keys, or of values, of a topic.

        Raises:
            RegistryError: the registry refuses it, or lacks it.
            RegistryUnavailableError: the registry does not answer.

        """
        ...

    def described(self, topic: str, schema: RegistrySchema) -> str:
        """Where a schema is kept, for people, as far as that is known without the registry."""
        ...

    def check(self) -> None:
        """Ask the registry something that every client may ask.

        Raises:
            RegistryError: it refuses the login.
            RegistryUnavailableError: it does not answer.

        """
        ...

    def close(self) -> None:
        """Close the connection; it is opened again when it is needed."""
        ...
