"""Kinds of names that are often found in a connector's configuration and are not its properties.

They are properties of other connectors, of the worker, of Kafka's clients, or comments. A pattern recognises the names of a
kind, so that the warning can say what the name is and what to write instead. Single names that other products use for
something that Debezium has too are in `EVERYWHERE`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from attrs import frozen

from tailrace.config.java_names import BY_CLIENT

Words = Callable[[re.Match[str]], str]


@frozen
class NameKind:
    """A kind of names.

    Attributes:
        title: for the reference page.
        example: one such name, for the reference page.
        pattern: matches the whole of such a name.
        words: makes the text of the warning, which follows the name.

    """

    title: str
    example: str
    pattern: re.Pattern[str]
    words: Words

    def verdict(self, name: str) -> str:
        """The text of the warning about a name; "" if the pattern does not match it."""
        match = self.pattern.fullmatch(name)
        return self.words(match) if match else ""


def _kind(title: str, example: str, pattern: str, words: str) -> NameKind:
    return NameKind(title, example, re.compile(pattern), lambda match: words.format(*match.groups()))


def _override(match: re.Match[str]) -> str:
    name = match["name"]
    clients = [client for client, rows in BY_CLIENT.items() if name in rows]
    client = "producer" if "producer" in clients else clients[0]
    return f"is a property of Kafka's clients, without effect here as in Kafka Connect: write {client}.override.{name}"


_CLIENT_NAMES = sorted({name for rows in BY_CLIENT.values() for name in rows} - {"bootstrap.servers", "group.id"})
_ANY_CLIENT_NAME = "|".join(map(re.escape, _CLIENT_NAMES))
_STORES = "redis|s3|jdbc|azure|rocketmq|nats|pulsar|kinesis|configmap"
_HISTORY = r"(?:schema\.history\.internal|database\.history)"

NAME_KINDS: Final = (
    _kind("Comments", "_comment", r"[_/#].*|(?:comment|description|note)s?", "is taken for a comment"),
    _kind("Debezium Server", "debezium.sink.type", r"(?:debezium\.(?:sink|format|transforms|predicates)|quarkus)\..+",
          "is a property of Debezium Server, without effect here"),
    _kind("Confluent", "output.data.format",
          r"(?:kafka\.(?:api\.(?:key|secret)|auth\.mode|service\.account\.id|deployment\.type|endpoint|region)"
          r"|confluent\..+|output\.(?:data|key)\.format|after\.state\.only|json\.output\.decimal\.format|cleanup\.policy"
          r"|(?:key|value)\.subject\.name\.strategy|auto\.restart\.on\.user\.error|schema\.context\.name"
          r"|ignore\.default\.for\.nullables)",
          "is a property of Confluent's own connectors and services, without effect here"),
    _kind("Dead letters", "errors.deadletterqueue.topic.name", r"errors\.deadletterqueue\..+",
          "has no effect: only sink connectors have a dead letter queue"),
    _kind("Kafka's clients, misspelt", "producer.overide.acks", r"(producer|consumer|admin)\.(?!override\.)over+id\w*\.(.+)",
          "has no effect; did you mean {0}.override.{1}?"),
    _kind("The worker's clients", "producer.linger.ms", r"(producer|consumer|admin)\.(?!override\.)(.+)",
          "is a property of Kafka Connect's worker, without effect in a connector's configuration: write {0}.override.{1}"),
    _kind("Kafka's clients in the schema history",
          "schema.history.internal.kafka.security.protocol",
          _HISTORY + rf"\.(?:kafka\.)?(?:(producer|consumer)\.)?({_ANY_CLIENT_NAME}|group\.id)",
          "has no effect, in Debezium either: the clients of the schema history take "
          "schema.history.internal.producer.{1} and schema.history.internal.consumer.{1}"),
    _kind("Stores of the schema history", "schema.history.internal.redis.address", _HISTORY + rf"\.(?:{_STORES})\..+",
          "has no effect: the schema history is kept with the progress, and in no other store than a file or a Kafka topic"),
    _kind("Schema history", "schema.history.internal.kafka.replication.factor", _HISTORY + r"\.kafka\..+",
          "has no effect: the topic of the schema history has no such property"),
    _kind("The worker", "bootstrap.servers",
          r"bootstrap\.servers|group\.id|(?:config|status)\.storage\..+|rest\..+|listeners|plugin\.(?:path|discovery)"
          r"|config\.providers(?:\..+)?|exactly\.once\.source\.support|internal\.(?:key|value)\.converter.*|kafka\.bootstrap\.servers",
          "is a property of Kafka Connect's worker, without effect in a connector's configuration"),
    NameKind("Kafka's clients", "linger.ms", re.compile(f"(?P<name>{_ANY_CLIENT_NAME})"), _override),
    _kind("Kafka", "kafka.topic", r"kafka\..+",
          "has no effect: the brokers are named by --to, and properties of the producer begin with producer.override."),
    _kind("Sink connectors, and JDBC sources", "insert.mode",
          r"topics(?:\.regex)?|insert\.mode|delete\.enabled|pk\.(?:mode|fields)|auto\.(?:create|evolve)|table\.name\.format"
          r"|connection\.(?:url|user|username|password|attempts|backoff\.ms)|max\.retries|retry\.backoff|fields\.whitelist"
          r"|(?:key|schema)\.ignore|flush\.size|primary\.key\.(?:mode|fields)|schema\.evolution|collection\.name\.format"
          r"|mode|incrementing\.column\.name|timestamp\.column\.name|table\.types|dialect\.name|batch\.max\.rows|numeric\.mapping",
          "is a property of sink connectors, or of the JDBC source, without effect here"),
    _kind("PostgreSQL's connector", "slot.name",
          r"slot\..+|plugin\.name|publication\..+|database\.ssl(?:mode|cert|key|rootcert|password|factory)|database\.tcpKeepAlive"
          r"|(?:hstore|interval)\.handling\.mode|include\.unknown\.datatypes|toasted\.value\.placeholder|flush\.lsn\.source"
          r"|xmin\.fetch\.interval\.ms|status\.update\.interval\.ms|replica\.identity\..+|message\.prefix\..+|lsn\..+",
          "is a property of the PostgreSQL connector, without effect here"),
    _kind("Oracle's connector", "log.mining.strategy",
          r"log\.mining\..+|database\.(?:pdb\.name|out\.server\.name|connection\.adapter|url|oracle\.version|tablename\..+)"
          r"|rac\.nodes|lob\.enabled|openlogreplicator\..+|archive\.(?:log|destination)\..+|xstream\..+|snapshot\.database\..+",
          "is a property of the Oracle connector, without effect here"),
    _kind("MongoDB's connector", "collection.include.list",
          r"mongodb\..+|collection\.(?:include|exclude)\.list|field\.(?:exclude\.list|renames)|capture\.(?:mode|scope|target).*|cursor\..+",
          "is a property of the MongoDB connector, without effect here"),
    _kind("Informix's and Vitess's connectors", "cdc.buffersize", r"vitess\..+|cdc\.(?:buffersize|timeout|stop\..+)",
          "is a property of another connector, without effect here"),
)  # fmt: skip
"""Tried in this order; the first pattern that matches counts."""

EVERYWHERE: Final[Mapping[str, str]] = {
    r"database\.(?:username|login)|(?:db\.)?user(?:name)?": "the login is database.user",
    r"database\.pass(?:wd)?|(?:db\.)?pass(?:word|wd)?": "the password is database.password",
    r"(?:database\.|db\.)?(?:host|server|address)|database\.server\.hostname|hostname": "the server is database.hostname",
    r"(?:db\.)?port": "the port is database.port",
    r"tables?|table\.(?:list|names?)|tables\.list": "the tables are chosen with table.include.list",
    r"(?:database|db)\.time\.?zone": "columns without a time zone are shown as they stand",
    r"tasks?|max\.tasks": "the number of lanes is tasks.max",
    r"transform": "no transform is applied by it, in Debezium neither: their names are in transforms",
}
"""Patterns of names that other products use, with what to write instead; the same for every database."""
