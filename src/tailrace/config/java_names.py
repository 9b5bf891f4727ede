"""The properties of Kafka's Java clients, and their names in librdkafka.

Configurations come from Kafka Connect, which uses Java clients; tailrace uses librdkafka. Every property of the Java
producer, consumer and admin client has one row here: it is passed on under the same or another name, ignored because it has
no meaning here, or refused because librdkafka lacks it. A name that is not in the table is librdkafka's own and is passed on
unchanged. Security properties that need more than a new name are handled in `tailrace.kafka.security`.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from typing import Final

from attrs import frozen

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")  # a Java long has at most 19 digits


class Handling(enum.Enum):
    """How a property is handled."""

    TRANSLATED = "taken"  # under `to`
    SECURITY = "taken with others"  # see tailrace.kafka.security
    IGNORED = "ignored"
    REFUSED = "refused"


@frozen(kw_only=True)
class JavaName:
    """One property of Java's clients.

    Attributes:
        name: in Java.
        handling: how it is handled.
        to: the names in librdkafka.
        convert: turns Java's value into librdkafka's; raises a `ValueError` that says what the value must be.
        harmless: values of a refused property that are accepted, because they have no effect.
        says: why it is ignored or refused, or what differs; for messages and the reference page.

    """

    name: str
    handling: Handling = Handling.TRANSLATED
    to: tuple[str, ...] = ()
    convert: Callable[[str], str] = str
    harmless: tuple[str, ...] = ()
    says: str = ""


def _same(*names: str, convert: Callable[[str], str] = str) -> tuple[JavaName, ...]:
    return tuple(JavaName(name=name, to=(name,), convert=convert) for name in names)


def _to(name: str, *to: str, says: str = "", convert: Callable[[str], str] = str) -> JavaName:
    return JavaName(name=name, to=to, says=says, convert=convert)


def _security(name: str, *to: str, says: str = "") -> JavaName:
    return JavaName(name=name, handling=Handling.SECURITY, to=to, says=says)


def _ignored(says: str, *names: str) -> tuple[JavaName, ...]:
    return tuple(JavaName(name=name, handling=Handling.IGNORED, says=says) for name in names)


def _refused(name: str, says: str, *harmless: str) -> JavaName:
    return JavaName(name=name, handling=Handling.REFUSED, says=says, harmless=harmless)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("it must be a whole number") from None


def _within(low: int, high: int) -> Callable[[str], str]:
    """Clamp a number to librdkafka's range, because Java allows any; anything else is left for librdkafka to refuse."""
    return lambda text: str(min(max(int(text), low), high)) if _INTEGER.fullmatch(text) else text


def _kilobytes(text: str) -> str:
    return str(max(1, -(-_whole(text) // 1024)))


def _idle(text: str) -> str:
    """Java's -1 means never; librdkafka's value for that is 0."""
    return str(max(0, _whole(text)))


def _acks(text: str) -> str:
    return "-1" if text.lower() in {"all", "-1"} else text


def _lower(text: str) -> str:
    return text.lower()


_MOST = 2**31 - 1
_BUFFER = _within(0, 100_000_000)  # Java's -1 leaves the size to the system; librdkafka's value for that is 0
_BACKOFF = _within(1, 300_000)
_REQUEST = _within(10, 300_000)  # the longest that socket.timeout.ms can be
_LEVEL = _within(-1, 12)
_BOUNDED = "at most `transaction.timeout.ms`, with delivery exactly once"
_SERIALIZERS = "keys and values are bytes"
_METRICS = "it only concerns the JVM's metrics"
_JVM = "it only concerns the JVM"
_OWN = "tailrace sets it itself"
_STICKY = "a record's key says its partition"
_TOKENS = "tokens are renewed in time by librdkafka"
_KERBEROS = "with a client library that has Kerberos"
_KERBEROS_ITSELF = "librdkafka renews tickets in its own way"
_ALONE = "topics are read alone, without a group"
_BROKERS = "only a broker checks tokens"
_BLOCK = "sending waits as long as the queue is full"
_WATCHING = tuple(
    f"io.confluent.monitoring.clients.interceptor.Monitoring{client}Interceptor" for client in ("Producer", "Consumer")
)  # they count records and don't change them

GENERAL = (
    _to(
        "bootstrap.servers",
        "bootstrap.servers",
        says="only the brokers that are named as the target, or for the history",
    ),
    *_same("client.id", "client.dns.lookup", "metadata.recovery.strategy"),
    *_same("metadata.max.age.ms", convert=_within(1, 86_400_000)),
    *_same("reconnect.backoff.ms", "reconnect.backoff.max.ms", convert=_within(0, 3_600_000)),
    *_same("retry.backoff.ms", "retry.backoff.max.ms", convert=_BACKOFF),
    *_same("metadata.recovery.rebootstrap.trigger.ms", "enable.metrics.push"),
    _to("connections.max.idle.ms", "connections.max.idle.ms", convert=_idle),
    _to("send.buffer.bytes", "socket.send.buffer.bytes", convert=_BUFFER),
    _to("receive.buffer.bytes", "socket.receive.buffer.bytes", convert=_BUFFER),
    *_same("socket.connection.setup.timeout.ms", convert=_within(1000, _MOST)),
    *_ignored("socket.connection.setup.timeout.ms is what counts", "socket.connection.setup.timeout.max.ms"),
    *_ignored(
        _METRICS, "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms", "metric.reporters"
    ),
    *_ignored(_METRICS, "auto.include.jmx.reporter"),
    *_ignored(_JVM, "security.providers", "config.providers"),
    _refused("interceptor.classes", "Java classes can't be called", "", *_WATCHING),
)
PRODUCER = (
    _to("acks", "acks", convert=_acks, says="with delivery exactly once only `all`"),
    *_same("enable.idempotence", "transaction.timeout.ms", "retries"),
    *_same("linger.ms", convert=_within(0, 900_000)),
    *_same("batch.size", convert=_within(1, _MOST)),
    *_same("max.in.flight.requests.per.connection", convert=_within(1, 1_000_000)),
    _to("buffer.memory", "queue.buffering.max.kbytes", convert=_kilobytes),
    _to("compression.type", "compression.type", convert=_lower),
    _to("compression.gzip.level", says="`compression.level`, where that is the type", convert=_LEVEL),
    _to("compression.lz4.level", says="`compression.level`, where that is the type", convert=_LEVEL),
    _to("compression.zstd.level", says="`compression.level`, where that is the type", convert=_LEVEL),
    _to("max.request.size", "message.max.bytes", convert=_within(1000, 1_000_000_000)),
    _to("request.timeout.ms", "request.timeout.ms", "socket.timeout.ms", says=_BOUNDED, convert=_REQUEST),
    _to("delivery.timeout.ms", "delivery.timeout.ms", says=_BOUNDED),
    *_ignored(_BLOCK, "max.block.ms"),
    *_ignored("idle topics are forgotten as librdkafka has it", "metadata.max.idle.ms"),
    *_ignored(_SERIALIZERS, "key.serializer", "value.serializer"),
    *_ignored(_STICKY, "partitioner.adaptive.partitioning.enable", "partitioner.availability.timeout.ms"),
    _refused("partitioner.ignore.keys", "events of one row would not stay in order", "false"),
    _refused(
        "partitioner.class",
        "Java classes can't be called; keys go where Java's default partitioner puts them",
        "",
        "org.apache.kafka.clients.producer.internals.DefaultPartitioner",
        "org.apache.kafka.clients.producer.internals.BuiltInPartitioner",
        "org.apache.kafka.clients.producer.UniformStickyPartitioner",
    ),
    _refused(
        "transactional.id", "each lane has one of its own; tailrace.transactional.id.prefix is what they begin with"
    ),
    _refused("transaction.two.phase.commit.enable", "nothing outside takes part in a transaction", "false"),
)
CONSUMER = (
    *_same("client.rack", "check.crcs"),
    *_same("fetch.min.bytes", convert=_within(1, 100_000_000)),
    *_same("fetch.max.bytes", convert=_within(0, 2_147_483_135)),
    *_same("max.partition.fetch.bytes", convert=_within(1, 1_000_000_000)),
    *_same("group.id", "allow.auto.create.topics"),
    _to("fetch.max.wait.ms", "fetch.wait.max.ms", convert=_within(0, 300_000)),
    _to("request.timeout.ms", "socket.timeout.ms", convert=_REQUEST),
    *_ignored(_ALONE, "group.instance.id", "group.protocol", "group.remote.assignor"),
    *_ignored(_ALONE, "heartbeat.interval.ms", "session.timeout.ms", "max.poll.interval.ms"),
    *_ignored(_ALONE, "partition.assignment.strategy", "auto.commit.interval.ms"),
    *_ignored(_OWN, "enable.auto.commit", "auto.offset.reset", "max.poll.records", "enable.partition.eof"),
    *_ignored(
        _OWN, "exclude.internal.topics", "default.api.timeout.ms", "internal.throw.on.fetch.stable.offset.unsupported"
    ),
    *_ignored(_ALONE, "share.acknowledgement.mode", "share.acquire.mode"),
    *_ignored(_SERIALIZERS, "key.deserializer", "value.deserializer"),
    _refused("isolation.level", "the progress is read with read_committed", "read_committed"),
)
ADMIN = (
    _to("request.timeout.ms", "socket.timeout.ms", convert=_REQUEST),
    *_same("retries"),
    *_ignored(_OWN, "default.api.timeout.ms"),
    _refused("bootstrap.controllers", "the brokers are asked, not the controllers", ""),
)
SECURITY = (
    _security("security.protocol", "security.protocol"),
    _security("sasl.mechanism", "sasl.mechanism", says="`AWS_MSK_IAM` becomes OAUTHBEARER with signed tokens"),
    _security(
        "sasl.jaas.config",
        "sasl.username",
        "sasl.password",
        says="of `PlainLoginModule`, `ScramLoginModule`, `OAuthBearerLoginModule`, `Krb5LoginModule` and Amazon's "
        "`IAMLoginModule`",
    ),
    _security("sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.token.endpoint.url"),
    _security("sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.id"),
    _security("sasl.oauthbearer.client.credentials.client.secret", "sasl.oauthbearer.client.secret"),
    _security("sasl.oauthbearer.scope", "sasl.oauthbearer.scope"),
    *_same(*(f"sasl.oauthbearer.assertion.{name}" for name in ("algorithm", "file", "private.key.file"))),
    *_same("sasl.oauthbearer.assertion.private.key.passphrase", "sasl.oauthbearer.sub.claim.name"),
    *_same(*(f"sasl.oauthbearer.assertion.claim.{name}" for name in ("aud", "exp.seconds", "iss", "jti.include"))),
    *_same(*(f"sasl.oauthbearer.assertion.claim.{name}" for name in ("nbf.seconds", "sub"))),
    _to("sasl.oauthbearer.assertion.template.file", "sasl.oauthbearer.assertion.jwt.template.file"),
    _refused("sasl.oauthbearer.header.urlencode", "librdkafka sends the client's id and secret as they are", "false"),
    *_ignored(_BROKERS, "sasl.oauthbearer.clock.skew.seconds", "sasl.oauthbearer.expected.audience"),
    *_ignored(_BROKERS, "sasl.oauthbearer.expected.issuer"),
    *_ignored(_BROKERS, "sasl.oauthbearer.jwks.endpoint.url", "sasl.oauthbearer.jwks.endpoint.refresh.ms"),
    *_ignored(_BROKERS, "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", "sasl.oauthbearer.scope.claim.name"),
    *_ignored(_BROKERS, "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", "sasl.oauthbearer.jwt.validator.class"),
    _security(
        "sasl.login.callback.handler.class",
        "sasl.oauthbearer.method",
        says="only Kafka's own `OAuthBearerLoginCallbackHandler`, and Amazon's `IAMOAuthBearerLoginCallbackHandler`; any other "
        "is refused",
    ),
    _security("ssl.truststore.type", says="what the file holds tells it"),
    _security("ssl.truststore.location", "ssl.ca.location", says="PEM, PKCS 12 or JKS"),
    _security("ssl.truststore.password", says="of PKCS 12 or JKS"),
    _security("ssl.truststore.certificates", "ssl.ca.pem"),
    _security("ssl.keystore.type", says="what the file holds tells it"),
    _security(
        "ssl.keystore.location",
        "ssl.key.pem",
        says="with `ssl.certificate.pem` of PKCS 12 or JKS; of PEM `ssl.key.location` and `ssl.certificate.location`",
    ),
    _security("ssl.keystore.password", says="of PKCS 12 or JKS"),
    _security("ssl.keystore.key", "ssl.key.pem"),
    _security("ssl.keystore.certificate.chain", "ssl.certificate.pem"),
    _security("ssl.key.password", "ssl.key.password"),
    _security(
        "ssl.endpoint.identification.algorithm", "ssl.endpoint.identification.algorithm", says="empty becomes `none`"
    ),
    *_same("ssl.cipher.suites"),
    *_ignored("the newest that both sides know is taken", "ssl.protocol", "ssl.enabled.protocols"),
    *_ignored(_JVM, "ssl.provider", "ssl.keymanager.algorithm", "ssl.trustmanager.algorithm"),
    *_ignored(_JVM, "ssl.secure.random.implementation"),
    _refused("ssl.engine.factory.class", "Java classes can't be called", ""),
    _security(
        "sasl.client.callback.handler.class",
        says="only Amazon's `IAMClientCallbackHandler`, with `AWS_MSK_IAM`; any other is refused",
    ),
    _refused("sasl.login.class", "Java classes can't be called", ""),
    _refused("sasl.oauthbearer.jwt.retriever.class", "Java classes can't be called", ""),
    *_ignored(_TOKENS, "sasl.login.refresh.buffer.seconds", "sasl.login.refresh.min.period.seconds"),
    *_ignored(_TOKENS, "sasl.login.refresh.window.factor", "sasl.login.refresh.window.jitter"),
    *_ignored(_TOKENS, "sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms"),
    *_ignored(_TOKENS, "sasl.login.retry.backoff.ms", "sasl.login.retry.backoff.max.ms"),
    _to("sasl.kerberos.service.name", "sasl.kerberos.service.name", says=_KERBEROS),
    *_ignored(_KERBEROS_ITSELF, "sasl.kerberos.kinit.cmd", "sasl.kerberos.ticket.renew.jitter"),
    _to("sasl.kerberos.min.time.before.relogin", "sasl.kerberos.min.time.before.relogin", says=_KERBEROS),
    *_ignored(_KERBEROS_ITSELF, "sasl.kerberos.ticket.renew.window.factor"),
)
TABLES: Mapping[str, tuple[JavaName, ...]] = {
    "every client": GENERAL,
    "the producer": PRODUCER,
    "the consumer": CONSUMER,
    "the admin client": ADMIN,
    "security": SECURITY,
}


def _by_name(*tables: tuple[JavaName, ...]) -> dict[str, JavaName]:
    return {row.name: row for table in tables for row in table}


BY_CLIENT: Mapping[str, Mapping[str, JavaName]] = {
    "producer": _by_name(GENERAL, PRODUCER, SECURITY),
    "consumer": _by_name(GENERAL, CONSUMER, SECURITY),
    "admin": _by_name(GENERAL, ADMIN, SECURITY),
}


def is_security(name: str) -> bool:
    """Whether a property, by Java's or librdkafka's name, is about encryption or authentication."""
    return name.startswith(("security.", "ssl.", "sasl.", "enable.ssl.", "enable.sasl."))
