"""The properties that Apicurio's converters have in common, without `key.converter.` or `value.converter.`.

Source: Apicurio Registry's documentation of its serializers (3.x), and their own list of properties.
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Family, Kind, Property, Status, prefixed

P: Final = "apicurio.registry."
TLS: Final = f"{P}tls."
_STRATEGIES: Final = {
    "TopicIdStrategy": "io.apicurio.registry.serde.strategy.TopicIdStrategy",
    "SimpleTopicIdStrategy": "io.apicurio.registry.serde.strategy.SimpleTopicIdStrategy",
    "RecordIdStrategy": "io.apicurio.registry.serde.avro.strategy.RecordIdStrategy",
    "QualifiedRecordIdStrategy": "io.apicurio.registry.serde.avro.strategy.QualifiedRecordIdStrategy",
    "TopicRecordIdStrategy": "io.apicurio.registry.serde.avro.strategy.TopicRecordIdStrategy",
}
_HANDLERS: Final = {
    "Default4ByteIdHandler": "io.apicurio.registry.serde.Default4ByteIdHandler",
    "Legacy8ByteIdHandler": "io.apicurio.registry.serde.Legacy8ByteIdHandler",
    "OptimisticFallbackIdHandler": "io.apicurio.registry.serde.OptimisticFallbackIdHandler",
}
_READING: Final = "it is about reading"
_JAVA: Final = "it is about Java's classes and threads"
_CACHE: Final = "each schema is asked for once and kept as long as the table's structure"
_FILES: Final = "put it into a store, and name that in apicurio.registry.tls.truststore.location or .keystore.location"


def switch(name: str, doc: str, *, default: bool = False) -> Property:
    """A boolean property."""
    return Property(name=name, doc=doc, kind=Kind.BOOL, default=default)


def _classes(name: str, doc: str, known: dict[str, str]) -> Property:
    spellings = {whole: short for short, whole in known.items()}
    return Property(
        name=name, doc=doc, kind=Kind.CLASS, default=next(iter(known)), allowed=tuple(known), other_spellings=spellings
    )


def _text(name: str, doc: str, *, secret: bool = False) -> Property:
    return Property(name=name, doc=doc, kind=Kind.SECRET if secret else Kind.STRING)


def _ignored(name: str, reason: str) -> Property:
    return Property(name=name, doc="Has no effect here.", status=Status.IGNORED, reason=reason)


def _refused(name: str, reason: str, *harmless: str) -> Property:
    return Property(name=name, doc="Is refused.", status=Status.REFUSED, reason=reason, harmless=harmless)


REGISTRY: Final = (
    Property(name=f"{P}url", kind=Kind.LIST, required=True, doc="The registry's URL, with `/apis/registry/v3`."),
    switch(f"{P}auto-register", "Whether schemas are registered at first use; goes before `find-latest`."),
    Property(
        name=f"{P}auto-register.if-exists",
        kind=Kind.ENUM,
        default="FIND_OR_CREATE_VERSION",
        allowed=("FIND_OR_CREATE_VERSION", "CREATE_VERSION", "FAIL"),
        doc="What becomes of an artifact that exists.",
    ),
    switch(f"{P}find-latest", "Whether records have the latest version of their artifact."),
    Property(
        name=f"{P}check-period-ms", kind=Kind.MS, default=30_000, minimum=0, doc="How long the latest version is kept."
    ),
    Property(
        name=f"{P}use-id",
        kind=Kind.ENUM,
        default="contentId",
        allowed=("contentId", "globalId"),
        doc="Which of a schema's two ids records have.",
    ),
    _classes(f"{P}id-handler", "How many bytes an id has.", _HANDLERS),
    switch(f"{P}headers.enabled", "Whether the id stands in headers instead of a prefix."),
    switch(f"{P}dereference-schema", "Whether schemas are registered whole, without references to the records in them."),
    switch(f"{P}canonicalize", "Whether the registry compares schemas in their canonical form."),
    _classes(f"{P}artifact-resolver-strategy", "How artifacts are named.", _STRATEGIES),
    _text(f"{P}artifact.group-id", "The group of all artifacts."),
    _text(f"{P}artifact.artifact-id", "The one artifact of all schemas."),
    _text(f"{P}artifact.version", "The version of all artifacts."),
    _refused(f"{P}avro.encoding", "the data would be JSON: use JsonConverter", "BINARY", "binary"),
    _refused(f"{P}use-schema-from-headers", "records have the schemas of their tables", "false"),
    _refused(f"{P}artifact.schema.location", "records have the schemas of their tables"),
    _refused(
        f"{P}schema-resolver", "Java classes can't run here", "io.apicurio.registry.resolver.DefaultSchemaResolver"
    ),
    _refused(
        f"{P}headers.handler",
        "Java classes can't run here",
        "io.apicurio.registry.serde.kafka.headers.DefaultHeadersHandler",
        "io.apicurio.registry.serde.headers.DefaultHeadersHandler",
    ),
    _refused(
        f"{P}serde.contract-rules.enabled", "rules of contracts run in Java: check the data behind the topic", "false"
    ),
    _ignored(f"{P}is-key", "it follows from key.converter or value.converter"),
    _ignored(f"{P}url.version", "the version is in the URL"),
    _ignored(f"{P}cache-latest", _CACHE),
    _ignored(f"{P}fault-tolerant-refresh", _CACHE),
    _ignored(f"{P}avro.schema-cache-size", _CACHE),
    _ignored(f"{P}avro-datum-provider", _JAVA),
    _ignored(f"{P}avro.validate-writer-schema", "another schema than the record's must always give the same bytes"),
    _ignored(f"{P}use-specific-avro-reader", _READING),
    _ignored(f"{P}serde.validation-enabled", "values always fit their schema"),
    _ignored("schemas.enable", "with Avro the schema is always in the registry"),
    _ignored("schemas.cache.config", _CACHE),
    _ignored("schemas.cache.size", _CACHE),
)

LOGIN: Final = (
    _text(f"{P}auth.username", "A user (basic)."),
    _text(f"{P}auth.password", "The user's password.", secret=True),
    _text(f"{P}auth.service.token.endpoint", "The server that gives tokens to clients (OAuth 2, client credentials)."),
    _text(f"{P}auth.client.id", "The client's id there."),
    _text(f"{P}auth.client.secret", "The client's secret there.", secret=True),
    _text(f"{P}auth.client.scope", "The scope that is asked for."),
)

STORES: Final = (
    _text(f"{TLS}truststore.location", "The store of trusted certificates: JKS, PKCS 12 or PEM."),
    _text(f"{TLS}truststore.password", "Its password.", secret=True),
    _text(f"{TLS}keystore.location", "The store of the client's own key and certificate: JKS, PKCS 12 or PEM."),
    _text(f"{TLS}keystore.password", "Its password.", secret=True),
    switch(f"{TLS}trust-all", "Whether any certificate is trusted."),
    switch(f"{TLS}verify-host", "Whether certificates must be of the host.", default=True),
    _refused(f"{TLS}certificates", _FILES),
    _refused(f"{TLS}client-certificate", _FILES),
    _refused(f"{TLS}client-key", _FILES),
    _ignored(f"{TLS}truststore.type", "a store's contents tell its type"),
    _ignored(f"{TLS}keystore.type", "a store's contents tell its type"),
)

HTTP: Final = (
    Property(
        name=f"{P}retry-count",
        kind=Kind.INT,
        default=3,
        minimum=0,
        doc="How often a request is repeated that may succeed.",
    ),
    Property(name=f"{P}retry-backoff-ms", kind=Kind.MS, default=300, minimum=0, doc="The pause before a repetition."),
    _text(f"{P}proxy.host", "An HTTP proxy."),
    Property(name=f"{P}proxy.port", kind=Kind.INT, minimum=1, maximum=65535, doc="Its port."),
    _refused(f"{P}proxy.username", "proxies with a login are not supported: use one without"),
    _refused(f"{P}proxy.password", "proxies with a login are not supported: use one without"),
    _ignored(f"{P}http.adapter", _JAVA),
    _ignored(f"{P}vertx.instance", _JAVA),
    _ignored(f"{P}otel.enabled", "requests are not traced"),
    _ignored(f"{P}usage-telemetry.client-id", "nothing is told about usage"),
)

FAMILIES: Final[tuple[Family, ...]] = (
    prefixed(f"{P}headers.", "Other names of headers.", Status.REFUSED, "readers look for Apicurio's own names"),
    prefixed(f"{P}fallback.", "What readers do without an id.", Status.IGNORED, _READING),
    prefixed(f"{P}serde.", "Switches of other formats and of contracts.", Status.IGNORED, "they are not about Avro"),
    prefixed(f"{P}deserializer.", "Classes that readers make.", Status.IGNORED, _READING),
    prefixed(f"{P}background-refresh", "When caches are filled anew.", Status.IGNORED, _CACHE),
    prefixed(f"{P}converter.", "Java objects of the converter.", Status.IGNORED, _JAVA),
)
