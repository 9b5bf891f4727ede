"""Ids of schemas in Apicurio Registry (its own API, version 3), as Apicurio's serializers get them.

A schema is an artifact with versions. When schemas are registered, each record within a schema becomes an artifact of its own,
to which the schema refers, unless schemas are registered whole (`dereference-schema`).
"""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final
from urllib.parse import quote

from tailrace.errors import DeliveryError, SchemaRefusedError
from tailrace.registry.answers import schema_number, understood
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.http import RegistryClient
from tailrace.registry.java_hashes import in_hash_order, object_hash, string_hash
from tailrace.registry.schemas import ReferringSchema, RegistrySchema, SchemaId

CONTENT_TYPE: Final = "application/json"
AVRO: Final = "AVRO"
DEFAULT_GROUP: Final = "default"


class ArtifactStrategy(enum.Enum):
    """How artifacts are named; the values are the names of Apicurio's classes."""

    TOPIC = "TopicIdStrategy"
    SIMPLE_TOPIC = "SimpleTopicIdStrategy"
    RECORD = "RecordIdStrategy"
    QUALIFIED_RECORD = "QualifiedRecordIdStrategy"
    TOPIC_RECORD = "TopicRecordIdStrategy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApicurioIds:
    """How ids are got; the names in brackets are those of properties below `apicurio.registry.`.

    Attributes:
        part: `key` or `value`.
        register: whether unknown schemas are registered (`auto-register`); it goes before the latest version.
        if_exists: what becomes of an artifact that exists (`auto-register.if-exists`).
        use_latest: whether the artifact's latest version is used (`find-latest`).
        latest_seconds: how long the latest version is kept (`check-period-ms`).
        global_ids: whether global ids are used instead of content ids (`use-id`).
        whole: whether schemas are registered without references (`dereference-schema`).
        canonicalize: whether the registry compares schemas in their canonical form.
        strategy: of the names of artifacts (`artifact-resolver-strategy`).
        group: of all artifacts (`artifact.group-id`); None: that of the strategy.
        artifact: the name of the one artifact (`artifact.artifact-id`); None: that of the strategy.
        version: of all artifacts (`artifact.version`); None: new ones are numbered.

    """

    part: str
    register: bool = False
    if_exists: str = "FIND_OR_CREATE_VERSION"
    use_latest: bool = False
    latest_seconds: float = 30.0
    global_ids: bool = False
    whole: bool = False
    canonicalize: bool = False
    strategy: ArtifactStrategy = ArtifactStrategy.TOPIC
    group: str | None = None
    artifact: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of an artifact."""

    group: str
    artifact: str

    @property
    def path(self) -> str:
        return f"/groups/{_quoted(self.group)}/artifacts"

    def __str__(self) -> str:
        return f"artifact {self.artifact} of group {self.group}"


class ApicurioSchemaIds:
    """`SchemaIds` of Apicurio Registry; each id is asked for once, that of the latest version time and again."""

    def __init__(self, connection: RegistryConnection, settings: ApicurioIds) -> None:
        self._connection = connection
        self._settings = settings
        self._client = RegistryClient(connection, CONTENT_TYPE)
        self._ids: dict[tuple[_Place, str], tuple[SchemaId, float]] = {}
        self._nested: dict[tuple[_Place, ReferringSchema], dict[str, Any]] = {}  # all envelopes refer to the source block

    def __reduce__(self) -> tuple[type[ApicurioSchemaIds], tuple[RegistryConnection, ApicurioIds]]:
        return type(self), (self._connection, self._settings)

    def id_for(self, topic: str, schema: RegistrySchema) -> SchemaId:
        """The id of the schema of keys, or of values, of a topic; see `SchemaIds`."""
        place = self._place(topic, schema)
        key = place, schema.text
        known = self._ids.get(key)
        if known is not None and monotonic() < known[1]:
            return known[0]
        with understood(self._connection.name, f"the question for the schema of {place}"):
            found, seconds = self._asked(place, topic, schema)
        self._ids[key] = found, float("inf") if seconds is None else monotonic() + seconds
        return found

    def described(self, topic: str, schema: RegistrySchema) -> str:
        """Where a schema is kept, for people. Raises `DeliveryError` where the strategy has no name for it."""
        return str(self._place(topic, schema))

    def check(self) -> None:
        """See `SchemaIds`."""
        self._client.check("/system/info")

    def close(self) -> None:
        """Close the connection; it is opened again when it is needed."""
        self._client.close()

    def _asked(self, place: _Place, topic: str, schema: RegistrySchema) -> tuple[SchemaId, float | None]:
        """The id, and for how many seconds it holds; None: for ever."""
        settings = self._settings
        if settings.register:
            return self._id(self._registered(place, topic, schema)), None
        if settings.use_latest or settings.version is not None:
            return self._checked(place, schema), settings.latest_seconds if settings.version is None else None
        return self._id(self._found(place, schema)), None

    def _place(self, topic: str, schema: RegistrySchema) -> _Place:
        group, artifact = self._named(topic, schema.referring)
        return _Place(self._settings.group or group, self._settings.artifact or artifact)

    def _named(self, topic: str, schema: ReferringSchema) -> tuple[str, str]:
        """The group and the artifact that the strategy names."""
        strategy, part = self._settings.strategy, self._settings.part
        if strategy is ArtifactStrategy.TOPIC:
            return DEFAULT_GROUP, f"{topic}-{part}"
        if strategy is ArtifactStrategy.SIMPLE_TOPIC:
            return DEFAULT_GROUP, topic
        if not schema.name:
            raise DeliveryError(
                f"apicurio.registry.artifact-resolver-strategy: {strategy.value} names artifacts by the record, and the {part} "
                f"of topic {topic} is none (its schema is {schema.text[:80]}): use TopicIdStrategy"
            )
        if strategy is ArtifactStrategy.QUALIFIED_RECORD:
            return DEFAULT_GROUP, schema.full_name
        prefix = f"{topic}-" if strategy is ArtifactStrategy.TOPIC_RECORD else ""
        return schema.namespace or DEFAULT_GROUP, prefix + schema.name

    def _registered(self, place: _Place, topic: str, schema: RegistrySchema) -> dict[str, Any]:
        """The version of a schema; those of the records in it are registered first."""
        if self._settings.whole:
            return self._posted(place, schema.text, [], schema.schema_type)
        whole = schema.referring
        nested = in_hash_order(whole.references, [string_hash(each.full_name) for each in whole.references])
        return self._posted(place, whole.text, self._registered_references(topic, nested))

    def _registered_references(self, topic: str, nested: Sequence[ReferringSchema]) -> list[dict[str, Any]]:
        """References in the converter's order: a registry takes another order for another version."""
        made = []
        for each in nested:
            place = _Place(self._settings.group or self._named(topic, each)[0], each.full_name)
            version = self._nested.get((place, each))
            if version is None:
                version = self._posted(place, each.text, self._registered_references(topic, each.references))
                self._nested[place, each] = version
            made.append(
                {
                    "name": each.full_name,
                    "groupId": version.get("groupId"),
                    "artifactId": version["artifactId"],
                    "version": str(version["version"]),
                }
            )
        return in_hash_order(made, [object_hash(*each.values()) for each in made])

    def _posted(
        self, place: _Place, text: str, references: list[dict[str, Any]], type_: str = AVRO
    ) -> dict[str, Any]:
        version = {} if self._settings.version is None else {"version": self._settings.version}
        content = {"content": text, "contentType": CONTENT_TYPE, "references": references}
        body = {"artifactId": place.artifact, "artifactType": type_, "firstVersion": {**version, "content": content}}
        query = {"ifExists": self._settings.if_exists} | self._canonical()
        answer = self._client.request("POST", place.path, body, query, about=f"the schema of {place}")
        found: dict[str, Any] = answer["version"]
        return found

    def _checked(self, place: _Place, schema: RegistrySchema) -> SchemaId:
        """The id of a version that is used instead of the record's own: records must be the same bytes with both."""
        version = self._settings.version or "branch=latest"
        path = f"{place.path}/{_quoted(place.artifact)}/versions/{quote(version, safe='=')}"
        found = self._client.request("GET", path, about=f"the version {version} of {place}")
        query, about = {"references": "DEREFERENCE"}, f"the schema of version {found['version']} of {place}"
        content = self._client.request("GET", f"/ids/globalIds/{found['globalId']}", query=query, about=about)
        differing = schema.difference(json.dumps(content), {})
        if differing is not None:
            raise DeliveryError(
                f"version {found['version']} of {place}, which is to be used, and the schema of the records differ: "
                f"{differing}. Register the new schema, or let it be registered (apicurio.registry.auto-register=true)"
            )
        return self._id(found)

    def _found(self, place: _Place, schema: RegistrySchema) -> dict[str, Any]:
        """The version of an artifact that has this schema."""
        query = {"groupId": place.group, "artifactId": place.artifact, "artifactType": schema.schema_type} | self._canonical()
        query |= {"orderby": "globalId", "order": "desc"}
        about = f"the schema of {place}"
        answer = self._client.request("POST", "/search/versions", schema.text.encode(), query, about=about)
        found = [each for each in answer["versions"] if each.get("state") != "DISABLED"]
        if not found:
            raise SchemaRefusedError(
                f"{self._connection.name}: {place} has no version with this schema, and apicurio.registry.auto-register=false: "
                f"register it, or use the latest one (apicurio.registry.find-latest=true). It is {schema.text}",
                404,
            )
        version: dict[str, Any] = found[0]
        return version

    def _canonical(self) -> dict[str, str]:
        return {"canonical": "true"} if self._settings.canonicalize else {}

    def _id(self, version: dict[str, Any]) -> SchemaId:
        return SchemaId(schema_number(version["globalId" if self._settings.global_ids else "contentId"]))


def _quoted(text: str) -> str:
    return quote(text, safe="")
