"""Transforms and converters of Kafka Connect in a Java machine of its own.

Started by `connect_parts.py` as a child process. The first line of the standard input names the Java runtime and the jars. Each
further line is a job, which is answered with a line on the standard output, until the input ends. All lines are JSON.

What it does with a line of input is what a Connect worker does with a source record: the transforms in their order, each
with its predicate, then the converters of headers, key and value. Keys and values come in as JSON with schemas, which Kafka's
own JsonConverter reads.

Source of the order of steps: Kafka's documentation of Connect, "Transformations", and the interfaces' Javadoc.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import jpype

JSON = "org.apache.kafka.connect.json.JsonConverter"
AS_IT_IS = {"schemas.enable": "true", "replace.null.with.default": "false", "schemas.cache.size": "1000"}


def main() -> None:
    """Answer jobs; whatever Java prints goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.loads(sys.stdin.readline())
    jpype.startJVM(given["libjvm"], *given["java_options"], classpath=given["jars"], convertStrings=False)
    java = jpype.JClass("java.lang.Thread").currentThread()
    java.setContextClassLoader(jpype.JClass("java.lang.ClassLoader").getSystemClassLoader())
    source = Source()
    for line in sys.stdin:
        print(json.dumps(answer(source, json.loads(line))), file=answers, flush=True)


def answer(source: Source, job: dict[str, Any]) -> dict[str, Any]:
    """What becomes of each line of a job; if it can't be configured, only why."""
    try:
        chain = Chain(job)
    except jpype.JException as error:
        return {"error": described(error)}
    try:
        return {"lines": [outcome(source, chain, line) for line in job["lines"]]}
    finally:
        chain.close()


def outcome(source: Source, chain: Chain, line: dict[str, Any]) -> Any:
    """The records that a line becomes, none or one; or the error."""
    record = source.record(line)
    try:
        transformed = chain.transformed(record)
        return [] if transformed is None else [chain.converted(transformed)]
    except jpype.JException as error:
        return {"error": described(error)}


def described(error: Any) -> str:
    """Class and message of the root cause."""
    while error.getCause() is not None:
        error = error.getCause()
    return str(error.toString())


class Source:
    """Reads lines as source records."""

    def __init__(self) -> None:
        self._reader = made(JSON)
        self._reader.configure(options(AS_IT_IS), False)
        self._record = jpype.JClass("org.apache.kafka.connect.source.SourceRecord")

    def record(self, line: dict[str, Any]) -> Any:
        """The record of a line of input."""
        key, value = self._read(line["topic"], line["key"]), self._read(line["topic"], line["value"])
        return self._record(
            options({}), options({}), line["topic"], boxed("Integer", line.get("partition")),
            key.schema(), key.value(), value.schema(), value.value(),
            boxed("Long", line.get("timestamp")), self._headers(line),
        )  # fmt: skip

    def _headers(self, line: dict[str, Any]) -> Any:
        headers = made("org.apache.kafka.connect.header.ConnectHeaders")
        for name, message in line.get("headers") or ():
            header = self._read(line["topic"], message)
            headers.add(name, header.value(), header.schema())
        return headers

    def _read(self, topic: str, message: Any) -> Any:
        if message is None:
            return jpype.JClass("org.apache.kafka.connect.data.SchemaAndValue").NULL
        read = self._reader.toConnectData(topic, text_bytes(message))
        wrap_bytes(message["schema"], read.value())
        return read


def wrap_bytes(schema: dict[str, Any], value: Any) -> None:
    """Make buffers of byte arrays in columns: Debezium's connectors give binary columns so, but bits, geometry and decimals not.

    Some transforms take only one of the two, and a buffer has a hash code of its content.
    """
    if value is None or schema["type"] != "struct" or schema.get("name", "").startswith("io.debezium.data."):
        return
    for field in schema["fields"]:
        part = value.getWithoutDefault(field["field"]) if field["type"] in ("bytes", "struct") else None
        if part is not None and field["type"] == "struct":
            wrap_bytes(field, part)
        elif part is not None and "name" not in field:
            value.put(field["field"], jpype.JClass("java.nio.ByteBuffer").wrap(part))


class Chain:
    """The transforms and converters of a job."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._stages = [Stage(each) for each in job["transforms"]]
        self._key, self._value = converter(job["key"], is_key=True), converter(job["value"], is_key=False)
        self._header = header_converter(job["header"])
        self._schemas = made(JSON)
        self._schemas.configure(options(AS_IT_IS), False)

    def transformed(self, record: Any) -> Any:
        """The record behind the last transform; None if one dropped it."""
        for stage in self._stages:
            if record is None:
                return None
            record = stage.applied(record)
        return record

    def converted(self, record: Any) -> dict[str, Any]:
        """The bytes of a record, as hexadecimal digits. Headers are first: converters may add some for key and value."""
        topic, headers = record.topic(), made("org.apache.kafka.common.header.internals.RecordHeaders")
        for header in record.headers():
            name = header.key()
            headers.add(name, self._header.fromConnectHeader(topic, name, header.schema(), header.value()))
        key = self._key.fromConnectData(topic, headers, record.keySchema(), record.key())
        value = self._value.fromConnectData(topic, headers, record.valueSchema(), record.value())
        return {
            "topic": str(topic),
            "partition": unboxed(record.kafkaPartition()),
            "timestamp": unboxed(record.timestamp()),
            "key": digits(key),
            "value": digits(value),
            "headers": [[str(header.key()), digits(header.value())] for header in headers],
            "key_schema": self._schema(record.keySchema()),
            "value_schema": self._schema(record.valueSchema()),
        }

    def close(self) -> None:
        """Give back what transforms and predicates hold."""
        for stage in self._stages:
            stage.close()

    def _schema(self, schema: Any) -> str | None:
        return None if schema is None else str(self._schemas.asJsonSchema(schema).toString())


class Stage:
    """One transform with its predicate."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._transform = configured(settings)
        predicate = settings.get("predicate")
        self._predicate = None if predicate is None else configured(predicate)
        self._negate = bool(settings.get("negate"))

    def applied(self, record: Any) -> Any:
        """The transformed record; the record itself where the predicate does not ask for the transform."""
        if self._predicate is not None and bool(self._predicate.test(record)) is self._negate:
            return record
        return self._transform.apply(record)

    def close(self) -> None:
        """Close both."""
        self._transform.close()
        if self._predicate is not None:
            self._predicate.close()


def configured(settings: dict[str, Any]) -> Any:
    """A transform or predicate, as `{"type", "options"}` says; its options are checked as Connect checks them."""
    found = made(settings["type"])
    checked(found.config(), settings["options"])
    found.configure(options(settings["options"]))
    return found


def checked(definition: Any, given: dict[str, str]) -> None:
    """Raise what is wrong with options: Connect refuses a connector for it."""
    for value in definition.validate(options(given)):
        for message in value.errorMessages():
            raise jpype.JClass("org.apache.kafka.common.config.ConfigException")(message)


def converter(settings: dict[str, Any], *, is_key: bool) -> Any:
    """A converter of keys or of values."""
    found = made(settings["type"])
    found.configure(options(settings["options"]), is_key)
    return found


def header_converter(settings: dict[str, Any]) -> Any:
    """A converter of headers."""
    found = made(settings["type"])
    found.configure(options({"converter.type": "header", **settings["options"]}))
    return found


def made(name: str) -> Any:
    """An object of a class. Raises Java's `ClassNotFoundException` if there is no such class."""
    loader = jpype.JClass("java.lang.ClassLoader").getSystemClassLoader()
    return jpype.JClass(jpype.JClass("java.lang.Class").forName(name, True, loader))()


def options(given: dict[str, str]) -> Any:
    """A map of texts."""
    found = jpype.JClass("java.util.HashMap")()
    for name, value in given.items():
        found.put(jpype.JString(name), None if value is None else jpype.JString(value))
    return found


def boxed(kind: str, value: int | None) -> Any:
    """An object for a number that may be missing."""
    return None if value is None else jpype.JClass(f"java.lang.{kind}")(value)


def unboxed(value: Any) -> int | None:
    """The number of such an object."""
    return None if value is None else int(value)


def text_bytes(message: Any) -> Any:
    """A message as JSON text."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return jpype.JArray(jpype.JByte)(text.encode("utf-8", "surrogatepass"))


def digits(data: Any) -> str | None:
    """A byte array as hexadecimal digits."""
    return None if data is None else bytes(data).hex()


if __name__ == "__main__":
    main()
