"""JSON texts as Connect data: which schema a text gets, and which value (`table.expand.json.payload`).

Integers are `int32` or `int64` by their size, other numbers `double`; an array has the schema of its items, which must be
alike. A field whose value is null or an empty array is left out, because its type is not known. Halves of surrogate pairs,
which UTF-8 can't have, become `?`, as when Java writes them.

Source: comparison with the real EventRouter (tests/formats/test_event_router.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from tailrace.schema.connect import Field, Schema, Type

_STRING: Final = Schema(Type.STRING, optional=True)
_BOOLEAN: Final = Schema(Type.BOOLEAN, optional=True)
_INT32: Final = Schema(Type.INT32, optional=True)
_INT64: Final = Schema(Type.INT64, optional=True)
_FLOAT64: Final = Schema(Type.FLOAT64, optional=True)
_BYTES: Final = Schema(Type.BYTES, optional=True)


DEEPEST: Final = 100
"""How many arrays and objects of a payload may stand in each other; MySQL's JSON columns have no more."""

_MOST_DIGITS: Final = 1000
_LONG_NUMBER: Final = re.compile(rf"[0-9.eE+-]{{{_MOST_DIGITS + 1}}}")  # or a text that looks like one
_HALF_PAIR: Final = re.compile(r"\\u[dD][89abcdefABCDEF]")  # or a half of a whole pair, which is left as it is


class NotExpandedError(ValueError):
    """A text that stays a text: it is no JSON object, or has an array of items that are not alike."""


class MismatchError(ValueError):
    """JSON whose values do not fit the schema that is inferred from it; in Connect such a record fails."""


@dataclass(frozen=True, slots=True)
class JsonSchemas:
    """How schemas are inferred.

    Attributes:
        nulls_as_bytes: a null is a field of optional bytes (`table.json.payload.null.behavior`); else it is left out.
        adjust: makes the name of a field of that of a member.

    """

    nulls_as_bytes: bool = False
    adjust: Callable[[str], str] = str

    def schema_of_payload(self, name: str, value: Any) -> Schema:
        """The schema of a whole payload, which must be a struct.

        An empty array has no schema in Connect either, and stays a text.

        Raises:
            NotExpandedError: there is an array whose items are not alike, or the payload is empty.
            MismatchError: the payload is an array.

        """
        schema = self.schema_of(name, value)
        if schema is None:
            raise NotExpandedError("it is an empty array")
        if schema.type is not Type.STRUCT:
            raise MismatchError("a payload is an array")
        return schema

    def schema_of(self, name: str | None, value: Any) -> Schema | None:
        """The schema of a parsed value, of which structs are called `name`; None if it is not known.

        Raises:
            NotExpandedError: there is an array whose items are not alike.

        """
        if isinstance(value, dict):
            return self._struct(name, value)
        if isinstance(value, list):
            return Schema(Type.ARRAY, optional=True, items=self._items(name, value)) if value else None
        if value is None:
            return _BYTES if self.nulls_as_bytes else None
        return _scalar(value)

    def _struct(self, name: str | None, members: Mapping[str, Any]) -> Schema:
        fields: dict[str, Field] = {}
        for member, value in members.items():
            field = self.adjust(member)
            schema = self.schema_of(f"{name}.{field}" if name and name.strip() else field, value)
            if schema is not None:
                fields.setdefault(field, Field(field, schema))
        return Schema(Type.STRUCT, optional=True, name=name, fields=tuple(fields.values()))

    def _items(self, name: str | None, values: Sequence[Any]) -> Schema:
        first = self._first_of_alike(values)
        if isinstance(first, dict):
            return _merged([self._struct(name, value) for value in values if isinstance(value, dict)])
        schema = self.schema_of(None, first)
        if schema is None:
            raise NotExpandedError("the type of an array's items is not known")
        return schema

    def _first_of_alike(self, values: Sequence[Any]) -> Any:
        """The first item that is no null; None if all are. Raises `NotExpandedError` if others are of another type."""
        there = [value for value in values if value is not None]
        kinds = {_kind(value) for value in there}
        if len(kinds) > 1:
            raise NotExpandedError("the items of an array are of several types")
        return there[0] if there else None


def parsed(text: str) -> Any:
    """A text that begins with an object or an array; what follows that is ignored.

    Raises:
        NotExpandedError: it does not.

    """
    if not text.startswith(("{", "[")):
        raise NotExpandedError("it is no JSON object")
    try:
        found = (_CAREFUL if _LONG_NUMBER.search(text) else _DECODER).raw_decode(text)[0]
    except (ValueError, RecursionError) as error:
        raise NotExpandedError("it is no JSON") from error
    if text.count("{") + text.count("[") > DEEPEST:
        _check_depth(found, DEEPEST)
    return _without_half_pairs(found) if _HALF_PAIR.search(text) else found


def _check_depth(value: Any, left: int) -> None:
    """Raises `NotExpandedError` if more than so many arrays and objects stand in each other."""
    if not isinstance(value, dict | list):
        return
    if not left:
        raise NotExpandedError(f"more than {DEEPEST} arrays and objects stand in each other")
    for each in value.values() if isinstance(value, dict) else value:
        _check_depth(each, left - 1)


def _without_half_pairs(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_half_pairs(name): _without_half_pairs(each) for name, each in value.items()}
    return [_without_half_pairs(each) for each in value] if isinstance(value, list) else value


def parsed_without_doubles(text: str) -> Any:
    """The same. Raises `NotExpandedError` if an object has two members of one name, too."""
    return _STRICT_DECODER.raw_decode(text)[0]


def checked(schema: Schema, value: Any) -> Any:
    """A parsed value as a value of its schema.

    Raises:
        MismatchError: it is none.

    """
    if value is None:
        if not schema.optional:
            raise MismatchError("a null stands among items of several forms")
        return None
    if schema.type is Type.STRUCT and isinstance(value, dict):
        return {each.name: checked(each.schema, value.get(each.name)) for each in schema.fields}
    if schema.type is Type.ARRAY and schema.items is not None and isinstance(value, list):
        return [checked(schema.items, item) for item in value]
    if isinstance(value, dict | list) or schema.type in {Type.STRUCT, Type.ARRAY} or schema.type is not _kind(value):
        raise MismatchError("values of one name or array are of several types")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise MismatchError("an integer has more than 64 bits")
    return value


def _kind(value: Any) -> Type:
    """The type of an item, by which those of an array must be alike."""
    if isinstance(value, dict):
        return Type.STRUCT
    return Type.ARRAY if isinstance(value, list) else _scalar(value).type


def _scalar(value: Any) -> Schema:
    if isinstance(value, str):
        return _STRING
    if isinstance(value, bool):
        return _BOOLEAN
    if isinstance(value, int) and -(1 << 31) <= value < 1 << 31:
        return _INT32
    return _INT64 if isinstance(value, int) and -(1 << 63) <= value < 1 << 63 else _FLOAT64


def _merged(schemas: Sequence[Schema]) -> Schema:
    """The schema of structs of several forms, which has the fields of all; in order of occurrence."""
    distinct = list(dict.fromkeys(schemas))
    if len(distinct) == 1:
        return distinct[0]
    fields: dict[str, Field] = {}
    for schema in distinct:
        for field in schema.fields:
            known = fields.setdefault(field.name, field)
            if known.schema.type is Type.BYTES:  # of a null; another item knows more
                fields[field.name] = field
    return replace(distinct[0], optional=False, fields=tuple(fields.values()))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise NotExpandedError("an object has two members of one name")
    return members


_STRICT_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_members)


def _short(text: str, read: Callable[[str], Any]) -> Any:
    """A number; the real parser takes none of more than so many digits."""
    if len(text.lstrip("-")) > _MOST_DIGITS:
        raise ValueError("a number is too long")
    return read(text)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)
_CAREFUL: Final = json.JSONDecoder(
    parse_constant=_no_constant, parse_int=partial(_short, read=int), parse_float=partial(_short, read=float)
)
