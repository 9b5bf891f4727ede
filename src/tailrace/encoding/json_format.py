"""The settings of a JsonConverter, and what they make of single values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tailrace.encoding.connect_json import SCHEMA_SUFFIX, null_text, schema_prefix, value_json
from tailrace.schema.connect import Schema


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """The settings of a JsonConverter.

    Attributes:
        schemas: whether each message contains its schema (`schemas.enable`).
        defaults: whether a null in a field with a default is written as the default (`replace.null.with.default`).
        numeric: whether decimals are numbers (`decimal.format=NUMERIC`), and not the bytes of their unscaled values.
        bare_texts: whether a text as a whole is written as it is, without quotes, as SimpleHeaderConverter does.
        message_field: the field of a whole struct that is written as a message with its schema, as a cloud event's data are.

    """

    schemas: bool = True
    defaults: bool = True
    numeric: bool = False
    bare_texts: bool = False
    message_field: str | None = None

    def prefix(self, schema: Schema) -> bytes:
        """The text before a message's payload."""
        return schema_prefix(schema, numeric=self.numeric) if self.schemas else b""

    @property
    def suffix(self) -> bytes:
        """The text after it."""
        return SCHEMA_SUFFIX if self.schemas else b""

    def null(self, schema: Schema) -> bytes:
        """The text of a null in a field."""
        return null_text(schema, replace_with_default=self.defaults, numeric=self.numeric)

    def default(self, schema: Schema) -> bytes:
        """The text of a null in whose place a transform has put the default, if there is one."""
        return null_text(schema, numeric=self.numeric)

    def value(self, schema: Schema, value: Any) -> bytes:
        """The text of a single value."""
        return value_json(schema, value, replace_with_default=self.defaults, numeric=self.numeric)
