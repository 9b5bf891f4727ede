"""The demo's format Avro: the converters' properties, and what a consumer with the registry makes of messages.

A message names its schema by an id. The registry is asked for the schema once, and fastavro reads the rest. Nothing here is
shared with what wrote the messages, so that the demo shows what any other consumer sees.
"""

from __future__ import annotations

import base64
import io
import struct
import urllib.request
from decimal import Decimal
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import orjson

from tailrace.errors import ConfigError, TailraceError

CONVERTER: Final = "io.confluent.connect.avro.AvroConverter"
_PARTS: Final = ("key", "value")
_PREFIX: Final = struct.Struct(">bI")  # a zero byte and the schema's id
_SECONDS: Final = 30


def avro_properties(url: str) -> dict[str, str]:
    """Confluent's Avro converter for keys and values, with a registry's URL."""
    classes = {f"{part}.converter": CONVERTER for part in _PARTS}
    return classes | {f"{part}.converter.schema.registry.url": url for part in _PARTS}


class RegisteredSchemas:
    """Reads messages with the schemas that a registry has.

    Args:
        url: of a registry with Confluent's API.

    Raises:
        ConfigError: fastavro is not installed.

    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._fastavro = _fastavro()
        self._schemas: dict[int, Any] = {}

    def decoded(self, message: bytes | None) -> Any:
        """The datum of a key or value; None for one that is missing.

        Raises:
            TailraceError: it does not begin as messages with a registered schema do.
            OSError: the registry does not answer, or does not know the schema.

        """
        if message is None:
            return None
        if len(message) < _PREFIX.size or message[0]:
            raise TailraceError(f"a message without a schema's id is no registered Avro: it begins with {message[:8].hex()}")
        number = _PREFIX.unpack_from(message)[1]
        datum = io.BytesIO(message[_PREFIX.size :])
        return self._fastavro.schemaless_reader(datum, self._schema(number), None)

    def versions(self) -> list[tuple[str, int, int]]:
        """Subject, version and id of all schemas, by subject."""
        return [
            (subject, version, self._asked(f"/subjects/{subject}/versions/{version}")["id"])
            for subject in sorted(self._asked("/subjects"))
            for version in self._asked(f"/subjects/{subject}/versions")
        ]

    def _schema(self, number: int) -> Any:
        if number not in self._schemas:
            text = self._asked(f"/schemas/ids/{number}")["schema"]
            self._schemas[number] = self._fastavro.parse_schema(orjson.loads(text))
        return self._schemas[number]

    def _asked(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self._url}{path}", timeout=_SECONDS) as answer:  # noqa: S310
            return orjson.loads(answer.read())


def as_json(value: Any) -> str:
    """What orjson does not write of Avro's values: numbers of any size as texts, bytes in base64."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} is no value of Avro")


def _fastavro() -> ModuleType:
    try:
        return import_module("fastavro")
    except ModuleNotFoundError:
        raise ConfigError("the demo reads Avro with fastavro, which is not installed: pip install fastavro") from None
