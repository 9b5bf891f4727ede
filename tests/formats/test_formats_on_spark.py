"""Each format through a whole run: snapshot, log, a new column and another start, read back by decoders of others.

A MySQL, a broker, a registry and Spark, all real. What each format delivers is what JSON does for the same changes.
"""

import base64
import io
import json
import urllib.request
import uuid
from collections import defaultdict
from contextlib import closing
from types import SimpleNamespace

import fastavro
import pytest
from tests.encoding.protobuf.reading import message_class
from tests.support.registries import apicurio

from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.mysql_settings import properties_for
from tailrace.converter_classes import (
    BYTE_ARRAY,
    CLOUD_EVENTS,
    CONFLUENT_AVRO,
    CONFLUENT_JSON_SCHEMA,
    CONFLUENT_PROTOBUF,
    EXT_JSON,
    JSON,
    STRING,
)
from tailrace.link import Link
from tailrace.source import run
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target

__all__ = ["apicurio"]
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, only_with_all]
TEXTS = ["a", "", "ü🦉", '"quoted"\\', None]
FIELD = "org.apache.kafka.connect.transforms.ExtractField"


def both(converter, **options):
    """The properties of a converter for keys and values."""
    return {
        f"{part}.converter{'.' + name if name else ''}": text
        for part in ("key", "value")
        for name, text in {"": converter, **{name.replace("__", "."): text for name, text in options.items()}}.items()
    }


def formats(registry):
    url = registry.confluent_url
    cloud = {"key.converter": JSON, "value.converter": CLOUD_EVENTS, "key.converter.schemas.enable": "false"}
    avro = {"value.converter.data.serializer.type": "avro", "value.converter.avro.schema.registry.url": url}
    return {
        "json": both(JSON, schemas__enable="false"),
        "avro": both(CONFLUENT_AVRO, schema__registry__url=url),
        "protobuf": both(CONFLUENT_PROTOBUF, schema__registry__url=url, optional__for__nullables="true"),
        "json schema": both(CONFLUENT_JSON_SCHEMA, schema__registry__url=url),
        "ext json": both(EXT_JSON, apicurio__registry__url=registry.url)
        | {f"{part}.converter.apicurio.registry.auto-register": "true" for part in ("key", "value")},
        "cloud events": cloud | {"value.converter.json.schemas.enable": "false"},
        "cloud events in avro": cloud | avro | {"value.converter.serializer.type": "avro"},
        "text and bytes": {
            "key.converter": STRING,
            "value.converter": BYTE_ARRAY,
            "transforms": "id,row,data",
            "transforms.id.type": f"{FIELD}$Key",
            "transforms.id.field": "id",
            "transforms.row.type": "io.debezium.transforms.ExtractNewRecordState",
            "transforms.row.delete.tombstone.handling.mode": "tombstone",
            "transforms.data.type": f"{FIELD}$Value",
            "transforms.data.field": "data",
        },
    }


class Reader:
    """Decodes keys and values of a format into plain rows: no class of ours takes part."""

    def __init__(self, name, registry):
        self._name, self._registry = name, registry
        self._schemas = {}

    def change(self, read):
        """(key, operation, before, after), or (key, None) of a tombstone; bytes are bytes."""
        key = self._key(read.key)
        if read.value is None:
            return key, None
        value = self._value(read.value)
        if self._name.startswith("cloud"):
            data = value["data"]
            if isinstance(data, bytes):
                data = self._avro(data)
            return key, value["iodebeziumop"], _row(data["before"]), _row(data["after"])
        return key, value["op"], _row(value["before"]), _row(value["after"])

    def _key(self, given):
        decoded = json.loads(given) if self._name.startswith("cloud") else self._value(given)
        return dict(decoded)

    def _value(self, given):
        match self._name:
            case "json" | "cloud events":
                return json.loads(given)
            case "ext json":
                return json.loads(given)["payload"]
            case "json schema":
                return json.loads(given[5:])
            case "protobuf":
                return self._protobuf(given)
        return self._avro(given)

    def _schema(self, number, parsed):
        if number not in self._schemas:
            url = f"{self._registry.confluent_url}/schemas/ids/{number}"
            with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 -- the test's own
                self._schemas[number] = parsed(json.load(answer)["schema"])
        return self._schemas[number]

    def _avro(self, given):
        assert given[0] == 0
        schema = self._schema(int.from_bytes(given[1:5], "big"), lambda text: fastavro.parse_schema(json.loads(text)))
        return fastavro.schemaless_reader(io.BytesIO(given[5:]), schema, None)

    def _protobuf(self, given):
        assert given[5] == 0, "the first message of the schema"

        def first(text):
            package = text.partition("package ")[2].partition(";")[0]
            name = text.partition("message ")[2].split()[0]
            return message_class(SimpleNamespace(text=text, record_name=f"{package}.{name}"))

        return _message(self._schema(int.from_bytes(given[1:5], "big"), first).FromString(given[6:]))


def _message(message):
    found = {}
    for field in message.DESCRIPTOR.fields:
        if field.has_presence and not message.HasField(field.name):
            found[field.name] = None
        else:
            value = getattr(message, field.name)
            found[field.name] = _message(value) if field.message_type is not None else value
    return found


def _row(row):
    if row is None:
        return None
    data = row["data"]
    return {**row, "data": base64.b64decode(data) if isinstance(data, str) else data}


def write(server, database, first, *, more=""):
    """Inserts, updates, a change of a key, deletes."""
    named = f"({', '.join(('id', 'name', 'amount', 'data', 'made', *(['more'] if more else [])))})"
    for id_ in range(first, first + 12):
        name = TEXTS[id_ % len(TEXTS)]
        values = [
            str(id_),
            "NULL" if name is None else "'" + name.replace("\\", "\\\\").replace("'", "''") + "'",
            f"{id_}.50",
            f"x'{id_:04x}'" if id_ % 3 else "NULL",
            f"'2024-02-{id_ % 28 + 1:02d} 01:02:03.456'",
            *([more] if more else []),
        ]
        server.sql(f"INSERT INTO orders {named} VALUES ({', '.join(values)})", database)
    server.sql(
        f"UPDATE orders SET amount = amount + 1 WHERE id % 2; UPDATE orders SET id = {first + 500} WHERE id = {first + 3}; "
        f"DELETE FROM orders WHERE id = {first + 4}",
        database,
    )


def test_each_format_delivers_what_json_does(spark, mysql_server, database, kafka_broker, apicurio, tmp_path):
    server, mark = mysql_server, uuid.uuid4().hex[:8]
    server.sql(
        "CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(40), amount DECIMAL(10,2) NOT NULL, data VARBINARY(9), "
        "made DATETIME(3))",
        database,
    )
    write(server, database, 0)
    names = formats(apicurio)
    jobs = {}
    for name, properties in names.items():
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        config = folder / "connector.json"
        more = {"snapshot_mode": "initial", "include_schema_changes": "false", "decimal_handling_mode": "string"}
        given = properties_for(
            server, topic_prefix=f"{name.replace(' ', '_')}_{mark}", database_include_list=database, **more
        )
        config.write_text(json.dumps({"name": given["topic.prefix"], "config": given | properties}))
        jobs[name] = load_job(config, Target.parse(f"kafka:{kafka_broker.address}", folder / "checkpoint"))[0], folder

    def all_to_the_head():
        for job, folder in jobs.values():
            with closing(Link(lambda kind, content: None)) as link:
                run.deliver(
                    spark,
                    job,
                    str(folder / "checkpoint"),
                    link,
                    available_now=True,
                    stop_requested=lambda: False,
                    notice=print,
                )

    all_to_the_head()
    write(server, database, 100)
    server.sql("ALTER TABLE orders ADD COLUMN more BIGINT", database)
    write(server, database, 200, more="9007199254740993")
    all_to_the_head()
    write(server, database, 300, more="NULL")
    all_to_the_head()

    reads = defaultdict(list)
    for read in read_topics(kafka_broker.address, lambda topic: f"_{mark}.{database}.orders" in topic):
        reads[read.topic.partition(f"_{mark}")[0].replace("_", " ")].append(read)
    wanted = [Reader("json", apicurio).change(read) for read in reads["json"]]
    assert len([each for each in wanted if each[1] == "r"]) == 11
    assert len(wanted) > 100
    for name in names:
        if name != "text and bytes":
            reader = Reader(name, apicurio)
            assert [reader.change(read) for read in reads[name]] == wanted, name
    plain = [(read.key, read.value) for read in reads["text and bytes"]]
    assert plain == [
        (str(change[0]["id"]).encode(), None if change[1] is None else change[3]["data"])
        for change in wanted
        if change[1] != "d"
    ]
