"""The properties that Confluent's converters have in common, without `key.converter.` or `value.converter.`.

Source: Confluent's documentation of Schema Registry, and the converters' own lists of properties (8.x).
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Family, Kind, Property, PropertyTables, Status, prefixed

SUBJECTS: Final = "io.confluent.kafka.serializers.subject."
IDS: Final = "io.confluent.kafka.serializers.schema.id."
TLS: Final = "schema.registry.ssl."
_STRATEGIES: Final = ("TopicNameStrategy", "RecordNameStrategy", "TopicRecordNameStrategy", "AssociatedNameStrategy")
_ID_CLASSES: Final = ("PrefixSchemaIdSerializer", "HeaderSchemaIdSerializer")
_CONTRACTS: Final = (
    "rules of data contracts run in Confluent's client, in Java: check the data in a job behind the topic"
)
_CACHE: Final = "each schema is asked for once and kept as long as the table's structure"
READING: Final = "it is about reading"


def switch(name: str, doc: str, *, default: bool = False) -> Property:
    """A boolean property."""
    return Property(name=name, doc=doc, kind=Kind.BOOL, default=default)


def _classes(name: str, doc: str, folder: str, known: tuple[str, ...]) -> Property:
    return Property(
        name=name,
        doc=doc,
        kind=Kind.CLASS,
        default=known[0],
        allowed=known,
        other_spellings={folder + each: each for each in known},
    )


def _ms(name: str, doc: str, default: int) -> Property:
    return Property(name=name, doc=doc, kind=Kind.MS, default=default, minimum=0)


def _text(name: str, doc: str, *, secret: bool = False, aliases: tuple[str, ...] = ()) -> Property:
    return Property(name=name, doc=doc, kind=Kind.SECRET if secret else Kind.STRING, aliases=aliases)


def ignored_property(name: str, reason: str) -> Property:
    """A property without effect."""
    return Property(name=name, doc="Has no effect here.", status=Status.IGNORED, reason=reason)


def _refused(name: str, reason: str, *harmless: str) -> Property:
    return Property(name=name, doc="Is refused.", status=Status.REFUSED, reason=reason, harmless=harmless)


REGISTRY: Final = (
    Property(
        name="schema.registry.url",
        kind=Kind.LIST,
        required=True,
        doc="The registry's URLs; one after the other is tried. A context is part of it: `https://host/contexts/:.name:`.",
    ),
    switch("schema.registry.url.randomize", "Whether another URL than the first one may be the first that is tried."),
    switch("auto.register.schemas", "Whether schemas are registered at first use; goes before those below.", default=True),
    Property(name="use.schema.id", kind=Kind.INT, default=-1, doc="The id of the schema that all records have; -1: none."),
    switch("use.latest.version", "Whether records have the latest schema of their subject."),
    switch(
        "id.compatibility.strict",
        "Whether the schema of `use.schema.id` must suit the records; it always has to give the same bytes.",
        default=True,
    ),
    switch(
        "latest.compatibility.strict",
        "Whether the latest schema must suit the records; it always has to give the same bytes.",
        default=True,
    ),
    Property(
        name="latest.cache.ttl.sec",
        kind=Kind.SECONDS,
        default=-1,
        minimum=-1,
        doc="How long the latest schema is kept; -1: as long as the process runs.",
    ),
    switch("normalize.schemas", "Whether the registry normalises schemas."),
    switch("propagate.schema.tags", "Whether new versions keep the tags of the one before."),
    _classes("key.subject.name.strategy", "How subjects of keys are named.", SUBJECTS, _STRATEGIES),
    _classes("value.subject.name.strategy", "How subjects of values are named.", SUBJECTS, _STRATEGIES),
    Property(
        name="subject.name.strategy.fallback.type",
        kind=Kind.ENUM,
        default="TOPIC",
        allowed=("TOPIC", "RECORD", "TOPIC_RECORD", "NONE"),
        doc="What AssociatedNameStrategy does with a topic that has no association.",
    ),
    Property(
        name="subject.name.strategy.kafka.cluster.id", default="-", doc="The Kafka cluster whose associations count; `-`: any."
    ),
    _classes("key.schema.id.serializer", "Where ids of the schemas of keys stand.", IDS, _ID_CLASSES),
    _classes("value.schema.id.serializer", "Where ids of the schemas of values stand.", IDS, _ID_CLASSES),
    _refused("context.name.strategy", "put the context into schema.registry.url: https://host/contexts/:.name:",
             "io.confluent.kafka.serializers.context.NullContextNameStrategy"),
    _refused("use.schema.guid", "use use.schema.id with the number of the schema"),
    _refused("use.latest.with.metadata", "use use.latest.version, or use.schema.id"),
    _refused("schema.format", "schemas are registered as they are", "default"),
    _refused("schema.backup.enabled", "it restores backups, which are no change events", "false"),
    _refused("execution.environment", _CONTRACTS, "ALL", "NONE"),
    _refused("rule.executors", _CONTRACTS),
    _refused("rule.actions", _CONTRACTS),
    _refused("validation.rules.execution", _CONTRACTS, "DISABLED", "disabled"),
    ignored_property("max.schemas.per.subject", _CACHE),
    ignored_property("schemas.cache.config", _CACHE),
    ignored_property("schemas.cache.size", _CACHE),
    ignored_property("latest.cache.size", _CACHE),
    ignored_property("subject.name.strategy.cache.size", _CACHE),
    ignored_property("subject.name.strategy.cache.expiry.secs", _CACHE),
    ignored_property("key.schema.id.deserializer", READING),
    ignored_property("value.schema.id.deserializer", READING),
    ignored_property("schemas.enable", "the schema is always in the registry"),
)  # fmt: skip

LOGIN: Final = (
    Property(
        name="basic.auth.credentials.source",
        kind=Kind.ENUM,
        default="URL",
        allowed=("URL", "USER_INFO"),
        impossible={"SASL_INHERIT": "set USER_INFO and basic.auth.user.info"},
        doc="Where user and password are: in the URL (`https://user:password@host`), or in `basic.auth.user.info`.",
    ),
    _text("basic.auth.user.info", "`user:password`.", secret=True, aliases=("schema.registry.basic.auth.user.info",)),
    Property(
        name="bearer.auth.credentials.source",
        kind=Kind.ENUM,
        default=None,
        allowed=("STATIC_TOKEN", "OAUTHBEARER"),
        impossible={
            "SASL_OAUTHBEARER_INHERIT": "set OAUTHBEARER and bearer.auth.issuer.endpoint.url, .client.id and .client.secret",
            "OAUTHBEARER_AZURE_MANAGED_IDENTITY": "set OAUTHBEARER with a client's secret, or STATIC_TOKEN",
            "CUSTOM": "Java classes can't run here; set OAUTHBEARER or STATIC_TOKEN",
        },
        doc="Where the token is from; absent: STATIC_TOKEN if there is `bearer.auth.token`, else no token.",
    ),
    _text("bearer.auth.token", "The token.", secret=True),
    _text("bearer.auth.issuer.endpoint.url", "The server that gives tokens to clients (OAuth 2, client credentials)."),
    _text("bearer.auth.client.id", "The client's id there."),
    _text("bearer.auth.client.secret", "The client's secret there.", secret=True),
    _text("bearer.auth.scope", "The scope that is asked for."),
    _text("bearer.auth.logical.cluster", "The registry's id in Confluent Cloud (`lsrc-…`)."),
    _text("bearer.auth.identity.pool.id", "The identity pool in Confluent Cloud (`pool-…`)."),
    Property(
        name="bearer.auth.cache.expiry.buffer.seconds",
        kind=Kind.SECONDS,
        default=300,
        minimum=0,
        doc="How long before the end of a token's life a new one is asked for.",
    ),
    ignored_property("bearer.auth.scope.claim.name", "a token is passed on without a look into it"),
    ignored_property("bearer.auth.sub.claim.name", "a token is passed on without a look into it"),
    _refused("bearer.auth.custom.provider.class", "Java classes can't run here; set OAUTHBEARER or STATIC_TOKEN"),
)

STORES: Final = (
    _text(f"{TLS}truststore.location", "The store of trusted certificates: JKS, PKCS 12 or PEM."),
    _text(f"{TLS}truststore.password", "Its password.", secret=True),
    _text(f"{TLS}keystore.location", "The store of the client's own key and certificate: JKS, PKCS 12 or PEM."),
    _text(f"{TLS}keystore.password", "Its password.", secret=True),
    _text(f"{TLS}key.password", "The password of the key, if it has one of its own.", secret=True),
    Property(
        name=f"{TLS}endpoint.identification.algorithm",
        default="https",
        doc="Whether certificates must be of the host (`https`); empty: they need not.",
    ),
    _refused(f"{TLS}truststore.certificates", "put the certificates into a file, and name it in truststore.location"),
    _refused(f"{TLS}keystore.key", "put key and certificates into a file, and name it in keystore.location"),
    _refused(
        f"{TLS}keystore.certificate.chain", "put key and certificates into a file, and name it in keystore.location"
    ),
    ignored_property(f"{TLS}truststore.type", "a store's contents tell its type"),
    ignored_property(f"{TLS}keystore.type", "a store's contents tell its type"),
)

HTTP: Final = (
    _ms("http.connect.timeout.ms", "How long a connection may take.", 60_000),
    _ms("http.read.timeout.ms", "How long an answer may take.", 60_000),
    Property(
        name="max.retries", kind=Kind.INT, default=3, minimum=0, doc="How often a request is repeated that may succeed."
    ),
    _ms("retries.wait.ms", "The pause before the first repetition; each further one is twice as long.", 1_000),
    _ms("retries.max.wait.ms", "The longest pause.", 20_000),
    _text("proxy.host", "An HTTP proxy."),
    Property(name="proxy.port", kind=Kind.INT, minimum=1, maximum=65535, doc="Its port."),
    ignored_property("use.apache.http.client", "it chooses a library of Java"),
    ignored_property("missing.cache.size", _CACHE),
    ignored_property("missing.id.cache.ttl.sec", _CACHE),
    ignored_property("missing.version.cache.ttl.sec", _CACHE),
    ignored_property("missing.schema.cache.ttl.sec", _CACHE),
)

FAMILIES: Final[tuple[Family, ...]] = (
    prefixed("request.header.", "Further headers of each request, by their names.", Status.WORKS, ""),
    prefixed("rule.", "Rules of data contracts.", Status.REFUSED, _CONTRACTS),
    prefixed("validation.rules.", "Rules of data contracts.", Status.IGNORED, "no rules are run"),
    prefixed(
        TLS, "Further properties of Java's TLS.", Status.IGNORED, "they are about Java's TLS; Python's has its own"
    ),
)


def tables_with(schemas: tuple[Property, ...]) -> PropertyTables:
    """All properties of a converter; `schemas` are its own, of schemas and values."""
    return PropertyTables(
        (
            ("Registry and ids", REGISTRY, FAMILIES[:1]),
            ("Schemas and values", schemas, FAMILIES[1:3]),
            ("Login", LOGIN, ()),
            ("TLS", STORES, FAMILIES[3:]),
            ("Requests", HTTP, ()),
        )
    )
