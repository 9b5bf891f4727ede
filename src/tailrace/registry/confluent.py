"""Ids of schemas in a registry with Confluent's API, as Confluent's serializers get them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from tailrace.errors import DeliveryError, RegistryError, SchemaRefusedError
from tailrace.registry.answers import schema_number, understood
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.http import RegistryClient
from tailrace.registry.same_bytes import parsed_types
from tailrace.registry.schemas import RegistrySchema, SchemaId
from tailrace.registry.subjects import Strategy, subject_of

CONTENT_TYPE: Final = "application/vnd.schemaregistry.v1+json"
AVRO: Final = "AVRO"
"""The type of a schema where none is told."""
_NO_ASSOCIATIONS: Final = {404, 405}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfluentIds:
    """How ids are got.

    Attributes:
        part: `key` or `value`.
        register: whether unknown schemas are registered; this goes before the following (`auto.register.schemas`).
        use_id: the id of the schema that is used for all (`use.schema.id`); None: none.
        use_latest: whether the subject's latest schema is used (`use.latest.version`).
        latest_seconds: how long the latest schema is kept; None: for ever (`latest.cache.ttl.sec`).
        normalize: whether the registry normalises schemas (`normalize.schemas`).
        propagate_tags: whether tags of the version before are kept (`propagate.schema.tags`).
        strategy: of subjects.
        fallback: of the strategy ASSOCIATED; None: a topic without an association is an error.
        cluster: the id of the Kafka cluster, by which associations are looked for; "-" is any.

    """

    part: str
    register: bool = True
    use_id: int | None = None
    use_latest: bool = False
    latest_seconds: float | None = None
    normalize: bool = False
    propagate_tags: bool = False
    strategy: Strategy = Strategy.TOPIC
    fallback: Strategy | None = Strategy.TOPIC
    cluster: str = "-"


class ConfluentSchemaIds:
    """`SchemaIds` of a registry with Confluent's API; each id is asked for once."""

    def __init__(self, connection: RegistryConnection, settings: ConfluentIds) -> None:
        self._connection = connection
        self._settings = settings
        self._client = RegistryClient(connection, CONTENT_TYPE)
        self._ids: dict[tuple[str, str], tuple[SchemaId, float]] = {}
        self._associated: dict[str, str | None] = {}

    def __reduce__(self) -> tuple[type[ConfluentSchemaIds], tuple[RegistryConnection, ConfluentIds]]:
        return type(self), (self._connection, self._settings)

    def id_for(self, topic: str, schema: RegistrySchema) -> SchemaId:
        """The id of the schema of keys, or of values, of a topic; see `SchemaIds`."""
        with understood(self._connection.name, f"the question for the subject of the {self._settings.part} of topic {topic}"):
            subject = self._subject(topic, schema)
        key = subject, schema.text
        known = self._ids.get(key)
        if known is not None and monotonic() < known[1]:
            return known[0]
        with understood(self._connection.name, f"the question for the schema of subject {subject}"):
            found = self._asked(subject, schema)
        seconds = self._settings.latest_seconds if self._uses_latest else None
        self._ids[key] = found, float("inf") if seconds is None else monotonic() + seconds
        return found

    def check(self) -> None:
        """See `SchemaIds`."""
        self._client.check("/schemas/types")

    def close(self) -> None:
        """Close the connection; it is opened again when it is needed."""
        self._client.close()

    def described(self, topic: str, schema: RegistrySchema) -> str:
        """Where a schema is kept, for people, as far as that is known without the registry. Raises as `subject_of`."""
        strategy, part = self._settings.strategy, self._settings.part
        if strategy is not Strategy.ASSOCIATED:
            return f"subject {subject_of(strategy, topic, part, schema)}"
        if self._settings.fallback is None:
            return "the subject that the registry associates with the topic"
        return f"subject {subject_of(self._settings.fallback, topic, part, schema)}, unless the registry associates another"

    @property
    def _uses_latest(self) -> bool:
        settings = self._settings
        return settings.use_latest and not settings.register and settings.use_id is None

    def _subject(self, topic: str, schema: RegistrySchema) -> str:
        strategy, part = self._settings.strategy, self._settings.part
        if strategy is not Strategy.ASSOCIATED:
            return subject_of(strategy, topic, part, schema)
        if topic not in self._associated:
            self._associated[topic] = self._association(topic)
        found = self._associated[topic]
        if found is not None:
            return found
        if self._settings.fallback is None:
            raise SchemaRefusedError(
                f"{part}.subject.name.strategy: the registry has no subject for the {part} of topic {topic}: associate one, "
                "or set subject.name.strategy.fallback.type"
            )
        return subject_of(self._settings.fallback, topic, part, schema)

    def _association(self, topic: str) -> str | None:
        part = self._settings.part
        path = f"/associations/resources/{_quoted(self._settings.cluster)}/{_quoted(topic)}"
        query = {"resourceType": "topic", "associationType": part}
        try:
            found = self._client.request("GET", path, query=query, about=f"the subject of the {part} of topic {topic}")
        except RegistryError as error:
            if error.status in _NO_ASSOCIATIONS:
                return None  # older registries, and those of others, have no associations
            raise
        subjects = [each["subject"] for each in found]
        if len(subjects) > 1:
            raise SchemaRefusedError(
                f"the registry has several subjects for the {part} of topic {topic}: {', '.join(subjects)}"
            )
        return subjects[0] if subjects else None

    def _asked(self, subject: str, schema: RegistrySchema) -> SchemaId:
        settings = self._settings
        if settings.register:
            return self._posted(f"/subjects/{_quoted(subject)}/versions", subject, schema)
        if settings.use_id is not None:
            query = {"subject": subject}
            about = f"the schema {settings.use_id} (use.schema.id)"
            found = self._client.request("GET", f"/schemas/ids/{settings.use_id}", query=query, about=about)
            return self._checked({"id": settings.use_id, **found}, subject, schema)
        if settings.use_latest:
            about = f"the latest schema of subject {subject} (use.latest.version)"
            found = self._client.request("GET", f"/subjects/{_quoted(subject)}/versions/latest", about=about)
            return self._checked(found, subject, schema)
        try:
            return self._posted(f"/subjects/{_quoted(subject)}", subject, schema)
        except RegistryError as error:
            if error.status != 404:
                raise
            raise type(error)(
                f"{error}; auto.register.schemas=false: register it, or use the latest one (use.latest.version=true). "
                f"It is {schema.text}",
                error.status,
                error.code,
            ) from None

    def _posted(self, path: str, subject: str, schema: RegistrySchema) -> SchemaId:
        body: dict[str, Any] = {"schema": schema.text}
        if schema.schema_type != AVRO:
            body["schemaType"] = schema.schema_type
        if self._settings.register and self._settings.propagate_tags:
            body["propagateSchemaTags"] = True
        query = {"normalize": "true"} if self._settings.normalize else None
        return _id(self._client.request("POST", path, body, query, about=f"the schema of subject {subject}"))

    def _checked(self, found: dict[str, Any], subject: str, schema: RegistrySchema) -> SchemaId:
        """The id of a schema that is used instead of the record's own: records must be the same bytes with both."""
        type_ = found.get("schemaType", AVRO)
        if type_ != schema.schema_type:
            raise DeliveryError(f"the schema {found['id']} of subject {subject} is {type_} and not {schema.schema_type}")
        known: dict[str, Any] = {}
        if type_ == AVRO:
            self._resolve(found.get("references") or (), known)
        differing = schema.difference(found["schema"], known)
        if differing is not None:
            raise DeliveryError(
                f"the schema {found['id']} of subject {subject}, which is to be used, and the schema of the records differ: "
                f"{differing}. Register the new schema, or let it be registered (auto.register.schemas=true)"
            )
        return _id(found)

    def _resolve(self, references: Any, known: dict[str, Any]) -> None:
        """Add the types of the schemas that a schema refers to."""
        for each in references:
            path = f"/subjects/{_quoted(each['subject'])}/versions/{each['version']}"
            found = self._client.request("GET", path, about=f"version {each['version']} of subject {each['subject']}")
            self._resolve(found.get("references") or (), known)
            known |= parsed_types(json.loads(found["schema"]))


def _id(found: dict[str, Any]) -> SchemaId:
    guid = found.get("guid")
    return SchemaId(schema_number(found["id"]), None if guid is None else UUID(guid))


def _quoted(text: str) -> str:
    return quote(text, safe="")
