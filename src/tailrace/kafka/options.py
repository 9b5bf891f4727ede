"""Options of Kafka's clients: our defaults and the configuration, in librdkafka's names.

`producer.override.*` and its companions accept the properties of Java's clients, as in Kafka Connect's
configurations, and librdkafka's own. Both are tested with the client library before anything connects, so that a wrong
property is named here and not in the middle of a run. No message and no `repr` shows a value that may be secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from attrs import field, frozen

from tailrace.config.java_names import BY_CLIENT, Handling, JavaName, is_security
from tailrace.config.properties.own import AT_LEAST_ONCE
from tailrace.config.settings import Settings
from tailrace.errors import ConfigError
from tailrace.kafka.msk import with_region
from tailrace.kafka.option_check import try_options
from tailrace.kafka.security import security_options
from tailrace.kafka.unknown_names import is_unknown

Kind = Literal["producer", "consumer", "admin"]
Given = Mapping[str, str]
Options = dict[str, str]

TRANSACTION_MS: Final = 60_000
DELIVERY_MS: Final = 120_000  # without transactions
IN_FLIGHT: Final = "max.in.flight.requests.per.connection"
FEW: Final = "3"
"""Requests that a broker has at a time. librdkafka has one for a partition, and while records wait for it that are older than
`linger.ms`, its thread polls without a pause; not, though, while the connection may not take another request. With 5,
librdkafka's own default, that was half of the CPU time of a producer whose broker is slower (`bench/producing.py`)."""
LEVELS: Final = {f"compression.{kind}.level": kind for kind in ("gzip", "lz4", "zstd")}
PRODUCER: Final = {
    "acks": "-1",
    "enable.idempotence": "true",
    "compression.type": "lz4",
    "linger.ms": "5",
    "message.max.bytes": "1048576",  # Java's max.request.size
    "partitioner": "murmur2_random",  # Java's hash of a key; librdkafka's default is another one
    "queue.buffering.max.kbytes": "65536",
    "queue.buffering.max.messages": "100000",
}
HISTORY_PRODUCER: Final = {"acks": "-1", "message.max.bytes": "1048576", "partitioner": "murmur2_random"}
CONSUMER: Final = {
    "isolation.level": "read_committed",
    "enable.auto.commit": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "earliest",
    "queued.max.messages.kbytes": "16384",
}
SIGNAL_CONSUMER: Final = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
_OTHER_NAMES: Final = {
    "request.required.acks": "acks",
    "compression.codec": "compression.type",
    "queue.buffering.max.ms": "linger.ms",
    "message.timeout.ms": "delivery.timeout.ms",
    "message.send.max.retries": "retries",
    "max.in.flight": IN_FLIGHT,
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "sasl.mechanisms": "sasl.mechanism",
    "metadata.broker.list": "bootstrap.servers",
}


@frozen(kw_only=True)
class Clients:
    """librdkafka's options for each client, ready to use. They hold secrets."""

    producer: Mapping[str, str] = field(repr=False)
    consumer: Mapping[str, str] = field(repr=False)
    admin: Mapping[str, str] = field(repr=False)


def sink_clients(servers: str, settings: Settings) -> Clients:
    """The clients of `--to kafka:SERVERS`.

    Raises:
        ConfigError: a property can't be translated, or contradicts the target or the guarantee.

    """
    overrides: dict[Kind, Given] = {
        "producer": settings.producer_override,
        "consumer": settings.consumer_override,
        "admin": settings.admin_override,
    }
    for kind, given in overrides.items():
        _check_servers(f"{kind}.override.", given, servers)
    exactly_once = settings.tailrace_delivery_guarantee != AT_LEAST_ONCE
    given = overrides["producer"]
    producer = _with_guarantee(_translated("producer", given, "producer.override."), exactly_once=exactly_once)
    try_options("producer", producer, "producer.override.", transactional=exactly_once)
    consumer = _other("consumer", overrides["consumer"], given, "producer.override.", "consumer.override.")
    admin = _other("admin", overrides["admin"], given, "producer.override.", "admin.override.")
    reader = {"group.id": f"tailrace-{settings.topic_prefix}", **consumer, **CONSUMER}
    return _clients(producer, reader, admin, servers)


def history_clients(settings: Settings) -> Clients:
    """The clients of the schema history topic; the admin client uses the producer's properties. Raises as above."""
    servers = settings.schema_history_internal_kafka_bootstrap_servers
    if not servers:
        raise ConfigError("schema.history.internal.kafka.bootstrap.servers is missing")
    prefix = "schema.history.internal.producer."
    given, reading = settings.schema_history_producer, settings.schema_history_consumer
    _check_servers(prefix, given, servers)
    _check_servers("schema.history.internal.consumer.", reading, servers)
    producer = {**HISTORY_PRODUCER, **_translated("producer", given, prefix)}
    try_options("producer", producer, prefix)
    consumer = _other("consumer", reading, given, prefix, "schema.history.internal.consumer.")
    admin = _other("admin", {}, given, prefix, prefix)
    reader = {"group.id": f"tailrace-{settings.topic_prefix}", **consumer, **CONSUMER}
    return _clients(producer, reader, admin, servers)


def signal_consumer(settings: Settings) -> Options:
    """Return the signal consumer's options, with the group whose offset is read. They hold secrets. Raises as above.

    Where to begin and what to read (`SIGNAL_CONSUMER`) may be configured here, unlike elsewhere: it is the user's topic.
    """
    servers, prefix = settings.signal_kafka_bootstrap_servers, "signal.consumer."
    if not servers:
        raise ConfigError("signal.kafka.bootstrap.servers is missing")
    _check_servers(prefix, settings.signal_consumer, servers)
    given = {name: text for name, text in settings.signal_consumer.items() if name not in SIGNAL_CONSUMER}
    chosen = {name: settings.signal_consumer.get(name, "").strip() or usual for name, usual in SIGNAL_CONSUMER.items()}
    options = {"group.id": settings.signal_kafka_groupid, **_translated("consumer", given, prefix), **chosen}
    try_options("consumer", options, prefix)
    return with_region({**options, "bootstrap.servers": servers})


def _clients(producer: Options, consumer: Options, admin: Options, servers: str) -> Clients:
    common = {"bootstrap.servers": servers}
    return Clients(
        producer=with_region({**producer, **common}),
        consumer=with_region({**consumer, **common}),
        admin=with_region({**admin, **common}),
    )


def _check_servers(prefix: str, given: Given, servers: str) -> None:
    named = given.get("bootstrap.servers") or given.get("metadata.broker.list") or servers
    if _addresses(named) != _addresses(servers):
        raise ConfigError(f"{prefix}bootstrap.servers names other brokers than {servers}; leave it out")


def _addresses(servers: str) -> set[str]:
    return {server.strip() for server in servers.split(",") if server.strip()}


def _other(kind: Kind, given: Given, producer: Given, producer_prefix: str, prefix: str) -> Options:
    """The options of another client than the producer; it uses the producer's security unless it has its own."""
    own = any(map(is_security, given))
    security = {} if own else {name: text for name, text in producer.items() if is_security(name)}
    options = _translated(kind, security, producer_prefix) | _translated(kind, given, prefix)
    try_options(kind, options, prefix)
    return options


def _translated(kind: Kind, given: Given, prefix: str) -> Options:
    """Translate Java's names; of two librdkafka names for one property one stays, unknown names are dropped."""
    texts = {_OTHER_NAMES.get(name, name): text.strip() for name, text in given.items()}
    texts.pop("bootstrap.servers", None)
    options: Options = {}
    own: Options = {}
    security: Options = {}
    for name, text in texts.items():
        row = BY_CLIENT[kind].get(name)
        if not text and (row is None or row.handling is Handling.TRANSLATED):
            continue
        if name in LEVELS and kind == "producer":
            options |= _level(name, text, texts)
        elif row is None:
            own |= {} if is_unknown(kind, name) else {name: text}
        elif row.handling is Handling.SECURITY:
            security[name] = text
        else:
            options |= _taken(row, text, prefix)
    return options | security_options(security, prefix) | own


def _level(name: str, text: str, texts: Given) -> Options:
    """A compression level counts only for the configured compression type."""
    used = texts.get("compression.type", PRODUCER["compression.type"]).lower()
    return {"compression.level": text} if used == LEVELS[name] else {}


def _taken(row: JavaName, text: str, prefix: str) -> Options:
    if row.handling is Handling.REFUSED and text.lower() not in {each.lower() for each in row.harmless}:
        raise ConfigError(f"{prefix}{row.name} can't be had: {row.says}; leave it out")
    if row.handling is not Handling.TRANSLATED:
        return {}
    try:
        return dict.fromkeys(row.to, row.convert(text))
    except ValueError as error:
        raise ConfigError(f"{prefix}{row.name}: {error}") from None


def _with_guarantee(given: Options, *, exactly_once: bool) -> Options:
    options = (_transactional if exactly_once else _ordered)({**PRODUCER, **given}, given)
    largest = options["message.max.bytes"]
    if "queue.buffering.max.kbytes" not in given and largest.isdecimal():  # else one record may be more than all that is held
        options["queue.buffering.max.kbytes"] = str(max(int(PRODUCER["queue.buffering.max.kbytes"]), int(largest) // 1024 + 1))
    is_idempotent = options["enable.idempotence"].lower() != "false"
    options.setdefault(IN_FLIGHT, FEW if is_idempotent else "1")  # without it, one request at a time keeps the order
    return options


def _transactional(options: Options, given: Options) -> Options:
    """With transactions: undelivered records fail with their transaction, so its timeout bounds the other timeouts."""
    for name, wanted in (("acks", "-1"), ("enable.idempotence", "true")):
        if options[name].lower() != wanted:
            raise ConfigError(
                f"producer.override.{name} is {options[name]!r}, with which nothing is delivered exactly once: leave it "
                f"out, or set tailrace.delivery.guarantee={AT_LEAST_ONCE}"
            )
    transaction = _milliseconds(
        "transaction.timeout.ms", options.setdefault("transaction.timeout.ms", str(TRANSACTION_MS))
    )
    usual = transaction * 3 // 4
    asked = _milliseconds("delivery.timeout.ms", given.get("delivery.timeout.ms", str(usual)))
    options["delivery.timeout.ms"] = str(min(asked or transaction, transaction))
    if "socket.timeout.ms" in options:
        options["socket.timeout.ms"] = str(
            min(_milliseconds("socket.timeout.ms", options["socket.timeout.ms"]), transaction)
        )
    return options


def _ordered(options: Options, given: Options) -> Options:
    """Without transactions: idempotence keeps the order, where the wanted acknowledgement allows it."""
    if options["acks"] == "0":
        raise ConfigError("producer.override.acks is '0', with which nobody learns whether a record arrived: set 1 or all")
    if options["acks"] != "-1" and "enable.idempotence" not in given:
        options["enable.idempotence"] = "false"
    asked = _milliseconds("delivery.timeout.ms", options.setdefault("delivery.timeout.ms", str(DELIVERY_MS)))
    options["delivery.timeout.ms"] = str(asked or DELIVERY_MS)  # 0 would be for ever
    return options


def _milliseconds(name: str, text: str) -> int:
    if not text.isdecimal():
        raise ConfigError(f"producer.override.{name} must be a whole number of milliseconds")
    return int(text)
