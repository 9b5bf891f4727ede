"""Names that are no property of the connector: what they are, and what was meant by them.

Kafka Connect hands a connector whatever its configuration has, and a connector looks at what it knows. So a name that nobody
knows is a warning. Which words it gets depends on what it is: a comment, a worker's property, another connector's, a name
that is nearly that of a property. One kind is an error: what is nearly the name of a property that changes records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from attrs import frozen

from tailrace.config.effects import changes_records
from tailrace.config.property import Family, PropertyTables
from tailrace.config.spelling import ALIKE, SIMILAR, nearest, ratio, visible
from tailrace.kafka.java_names import BY_CLIENT

Words = Callable[[re.Match[str]], str]


@frozen
class Sort:
    """Names of one sort.

    Attributes:
        title: of the sort, for the reference page.
        pattern: of such names; it matches the whole of one.
        words: what is said of one, after its name.

    """

    title: str
    pattern: re.Pattern[str]
    words: Words


@frozen
class Verdict:
    """What is said of a name that is no property: the end of the sentence, and whether records depend on it."""

    words: str
    is_wrong: bool = False


def _sort(title: str, pattern: str, words: str) -> Sort:
    return Sort(title, re.compile(pattern), lambda match: words.format(*match.groups()))


def _override(match: re.Match[str]) -> str:
    name = match["name"]
    clients = [client for client, rows in BY_CLIENT.items() if name in rows]
    client = "producer" if "producer" in clients else clients[0]
    return f"is a property of Kafka's clients, without effect here as in Kafka Connect: write {client}.override.{name}"


_CLIENT_NAMES = sorted({name for rows in BY_CLIENT.values() for name in rows} - {"bootstrap.servers", "group.id"})
_ANY_CLIENT_NAME = "|".join(map(re.escape, _CLIENT_NAMES))
_STORES = "redis|s3|jdbc|azure|rocketmq|nats|pulsar|kinesis|configmap"
_HISTORY = r"(?:schema\.history\.internal|database\.history)"

SORTS: Final = (
    _sort("Comments", r"[_/#].*|(?:comment|description|note)s?", "is taken for a comment"),
    _sort("Debezium Server", r"(?:debezium\.(?:sink|format|transforms|predicates)|quarkus)\..+",
          "is a property of Debezium Server, without effect here"),
    _sort("Confluent",
          r"(?:kafka\.(?:api\.(?:key|secret)|auth\.mode|service\.account\.id|deployment\.type|endpoint|region)"
          r"|confluent\..+|output\.(?:data|key)\.format|after\.state\.only|json\.output\.decimal\.format|cleanup\.policy"
          r"|(?:key|value)\.subject\.name\.strategy|auto\.restart\.on\.user\.error|schema\.context\.name)",
          "is a property of Confluent's own connectors and services, without effect with this class"),
    _sort("Dead letters", r"errors\.deadletterqueue\..+", "has no effect: only sink connectors have a dead letter queue"),
    _sort("The worker's clients", r"(producer|consumer|admin)\.(?!override\.)(.+)",
          "is a property of Kafka Connect's worker, without effect in a connector's configuration: write {0}.override.{1}"),
    _sort("Kafka's clients in the schema history",
          _HISTORY + rf"\.(?:kafka\.)?(?:(producer|consumer)\.)?({_ANY_CLIENT_NAME}|group\.id|sasl\..+)",
          "has no effect, in Debezium either: the clients of the schema history take "
          "schema.history.internal.producer.{1} and schema.history.internal.consumer.{1}"),
    _sort("Stores of the schema history", _HISTORY + rf"\.(?:{_STORES})\..+",
          "has no effect: the schema history is kept with the progress, and in no other store than a file or a Kafka topic"),
    _sort("Schema history", _HISTORY + r"\.kafka\..+",
          "has no effect: the topic of the schema history has no such property"),
    _sort("The worker",
          r"bootstrap\.servers|group\.id|(?:config|status)\.storage\..+|rest\..+|listeners|plugin\.(?:path|discovery)"
          r"|config\.providers(?:\..+)?|exactly\.once\.source\.support|internal\.(?:key|value)\.converter.*|kafka\.bootstrap\.servers",
          "is a property of Kafka Connect's worker, without effect in a connector's configuration"),
    Sort("Kafka's clients", re.compile(f"(?P<name>{_ANY_CLIENT_NAME})"), _override),
    _sort("Kafka", r"kafka\..+",
          "has no effect: the brokers are named by --to, and properties of the producer begin with producer.override."),
    _sort("Sink connectors, and JDBC sources",
          r"topics(?:\.regex)?|insert\.mode|delete\.enabled|pk\.(?:mode|fields)|auto\.(?:create|evolve)|table\.name\.format"
          r"|connection\.(?:url|user|username|password|attempts|backoff\.ms)|max\.retries|retry\.backoff|fields\.whitelist"
          r"|(?:key|schema)\.ignore|flush\.size|primary\.key\.(?:mode|fields)|schema\.evolution|collection\.name\.format"
          r"|mode|incrementing\.column\.name|timestamp\.column\.name|table\.types|dialect\.name|batch\.max\.rows|numeric\.mapping",
          "is a property of sink connectors, or of the JDBC source, without effect here"),
    _sort("PostgreSQL's connector",
          r"slot\..+|plugin\.name|publication\..+|database\.ssl(?:mode|cert|key|rootcert|password|factory)|database\.tcpKeepAlive"
          r"|(?:hstore|interval)\.handling\.mode|include\.unknown\.datatypes|toasted\.value\.placeholder|flush\.lsn\.source"
          r"|xmin\.fetch\.interval\.ms|status\.update\.interval\.ms|replica\.identity\..+|message\.prefix\..+|lsn\..+",
          "is a property of the PostgreSQL connector, without effect here"),
    _sort("Oracle's connector",
          r"log\.mining\..+|database\.(?:pdb\.name|out\.server\.name|connection\.adapter|url|oracle\.version|tablename\..+)"
          r"|rac\.nodes|lob\.enabled|openlogreplicator\..+|archive\.(?:log|destination)\..+|xstream\..+|snapshot\.database\..+",
          "is a property of the Oracle connector, without effect here"),
    _sort("MongoDB's connector",
          r"mongodb\..+|collection\.(?:include|exclude)\.list|field\.(?:exclude\.list|renames)|capture\.(?:mode|scope|target).*|cursor\..+",
          "is a property of the MongoDB connector, without effect here"),
    _sort("Db2's, Informix's and Vitess's connectors",
          r"cdc\.(?:change|control)\..+|db2\..+|vitess\..+|cdc\.(?:buffersize|timeout|stop\..+)",
          "is a property of another connector, without effect here"),
)  # fmt: skip
"""The sorts in the order in which they are tried."""

_MEANT: Final = {
    "MySQL": {
        r"database\.(?:names|dbname|name)|database": "the databases are chosen with database.include.list",
        r"schema\.(?:include|exclude)\.list|schema\.(?:whitelist|blacklist)": "MySQL has no schemas within a database",
        r"database\.(?:instance|encrypt|trustServerCertificate)": "it is SQL Server's",
        r"(?:database|db)\.time\.?zone": "no time zone is needed",
    },
    "SQL Server": {
        r"database\.server\.id(?:\.offset)?": "it is MySQL's, and SQL Server needs no such number",
        r"database\.(?:name|db|dbName)|database": "the databases are named with database.names",
        r"database\.ssl\..+": "it is MySQL's; encryption is set with driver.encrypt and driver.trustServerCertificate",
        r"gtid\..+|binlog\..+|include\.query|bigint\.unsigned\.handling\.mode|enable\.time\.adjuster": "it is MySQL's",
        r"(?:database|db)\.time\.?zone": "SQL Server's columns are shown without one, as Debezium shows them",
    },
}  # fmt: skip
_EVERYWHERE: Final = {
    r"database\.(?:username|login)|(?:db\.)?user(?:name)?": "the login is database.user",
    r"database\.pass(?:wd)?|(?:db\.)?pass(?:word|wd)?": "the password is database.password",
    r"(?:database\.|db\.)?(?:host|server|address)|database\.server\.hostname|hostname": "the server is database.hostname",
    r"(?:db\.)?port": "the port is database.port",
    r"tables?|table\.(?:list|names?)|tables\.list": "the tables are chosen with table.include.list",
    r"tasks?|max\.tasks": "the number of lanes is tasks.max",
}


def judge(name: str, tables: PropertyTables, others: Collection[str], database: str, given: Collection[str]) -> Verdict:
    """What to say of a name that is no property of the connector for `database`.

    `others` are the names of properties of other connectors, `given` those that the configuration has, by their current names.
    """
    plain = visible(name)
    if plain != name and (near := _known(plain, tables)):
        return _near(near, tables, database, given, because="it has an invisible character or a blank in it; ")
    if (stripped := plain.removeprefix("debezium.source.")) != plain:
        return _near(stripped, tables, database, given, because="Debezium Server's prefix goes; ")
    if words := _meant(plain, database):
        return Verdict(f"is not a property of the {database} connector, and has no effect: {words}")
    if match := _sort_of(plain):
        return Verdict(match)
    if plain in others:
        return Verdict(f"is a property of another connector, without effect with {database}")
    near = _family_like(plain, tables, database) or nearest(plain, (*tables.by_name, *tables.aliases), ALIKE)
    if near:
        return _near(near, tables, database, given, because="")
    similar = nearest(plain, (*tables.by_name, *tables.aliases), SIMILAR)
    hint = f"; is {similar} meant?" if similar else ""
    return Verdict(f"is not a property of the {database} connector, and has no effect{hint}")


def hidden_in(name: str, family: Family, tables: PropertyTables) -> str | None:
    """The property that was meant by a name of an open family, where it is nearly that property's."""
    if not family.is_open:
        return None
    near = nearest(name, tables.by_name, cutoff=0.93)
    is_of_near = near is not None and name.startswith(f"{near}.")  # a family's own property, and a member of it
    return None if is_of_near else near


def verdict_on(near: str, tables: PropertyTables, database: str, given: Collection[str]) -> Verdict:
    """What to say of a name that is nearly `near`."""
    return _near(near, tables, database, given, because="")


def _near(near: str, tables: PropertyTables, database: str, given: Collection[str], *, because: str) -> Verdict:
    current = tables.current_name(near)
    words = f"is not a property of the {database} connector; {because}did you mean {near}?"
    if current in given:
        return Verdict(f"{words} That one is set as well, and counts")
    known = tables.by_name.get(current) or tables.family_of(current)
    wrong = changes_records(known.name if known else current, database)
    return Verdict(words if wrong else f"{words} It has no effect", is_wrong=wrong)


def _known(name: str, tables: PropertyTables) -> str | None:
    current = tables.current_name(name)
    return name if current in tables.by_name or tables.family_of(current) else None


def _meant(name: str, database: str) -> str:
    by_meaning = _MEANT.get(database, {}) | _EVERYWHERE
    return next((words for pattern, words in by_meaning.items() if re.fullmatch(pattern, name)), "")


def _sort_of(name: str) -> str:
    matches = ((sort, sort.pattern.fullmatch(name)) for sort in SORTS)
    return next((sort.words(match) for sort, match in matches if match), "")


def _family_like(name: str, tables: PropertyTables, database: str) -> str | None:
    """The family whose fixed beginning is nearly that of the name, of those that change records."""
    words = name.split(".")
    heads = ((family.name, head) for family, head in _heads(tables) if changes_records(family.name, database))
    likes = ((ratio(".".join(words[: head.count(".") + 1]), head), family) for family, head in heads)
    best = max(likes, default=(0.0, ""))
    return best[1] if best[0] >= ALIKE else None


def _heads(tables: PropertyTables) -> Iterator[tuple[Family, str]]:
    for family in tables.families:
        head = re.split(r"[<*]", family.name)[0].rstrip(".")
        if head.count(".") >= 1 and head != family.name:
            yield family, head
