"""Which columns a chain of transforms names, so that a made table can have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace.config.transform_settings import TransformSettings

TEXT, NUMBER, TRUTH, MOMENT = "text", "number", "truth", "moment"

_OF_FIELDS: Final = (
    "field", "fields", "include", "exclude", "renames", "spec", "route_by_field", "partition_payload_fields",
    "table_field_event_id", "table_field_event_key", "table_field_event_type", "table_field_event_payload",
    "table_field_event_timestamp", "table_field_event_schema_version", "table_fields_additional_placement",
)  # fmt: skip
"""Options that name fields, alone or with something behind a colon."""
_MOMENTS: Final = ("table_field_event_timestamp",)
_OF_RECORDS: Final = frozenset(
    {"before", "after", "source", "op", "ts_ms", "ts_us", "ts_ns", "transaction"}
)
"""Fields of envelopes, which no table has to have."""
_ROUTED: Final = "order"  # so that topics have a name that Kafka allows
_PAYLOAD: Final = '{"number": 1}'
_IN_ENVELOPES: Final = re.compile(r"^(?:before|after|change)\.")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_KIND_OF_RULE: Final = re.compile(r"^(?:source|topic):", re.IGNORECASE)
_OF_SCRIPTS: Final = ("condition", "topic_expression")
_READ: Final = re.compile(
    r"value\??\.(?:before|after)\??\.(\w+)(?:\s*(?:==|!=|<=|>=|<|>)\s*('[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?|true|false))?"
)


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column that transforms name.

    Attributes:
        name: of it.
        kind: of its values: `TEXT`, `NUMBER`, `TRUTH`, `MOMENT`.
        value: what it is compared with; None: nothing.

    """

    name: str
    kind: str = TEXT
    value: Any = None


def named_columns(chain: Sequence[TransformSettings]) -> tuple[NamedColumn, ...]:
    """The columns that a chain names, each once; what it compares them with tells their kind."""
    found: dict[str, NamedColumn] = {}
    for each in chain:
        for column in (*_in_scripts(each.options), *_in_options(each)):
            found.setdefault(column.name, column)
    return tuple(found.values())


def _in_scripts(options: Mapping[str, Any]) -> Iterator[NamedColumn]:
    for option in _OF_SCRIPTS:
        for name, literal in _READ.findall(str(options.get(option) or "")):
            yield _compared(name, literal)


def _compared(name: str, literal: str) -> NamedColumn:
    if literal in ("true", "false"):
        return NamedColumn(name, TRUTH, literal == "true")
    if literal[:1] in ("'", '"'):
        return NamedColumn(name, TEXT, literal[1:-1])
    if literal:
        return NamedColumn(name, NUMBER, int(float(literal)))
    return NamedColumn(name)


def _in_options(settings: TransformSettings) -> Iterator[NamedColumn]:
    is_moment = settings.type.endswith(("TimestampConverter$Value", "TimestampConverter$Key"))
    for option in _OF_FIELDS:
        given = settings.options.get(option) or ()
        for text in (given,) if isinstance(given, str) else given:
            name = _IN_ENVELOPES.sub("", str(text).partition(":")[0].strip())
            if _NAME.fullmatch(name) and name not in _OF_RECORDS:
                kind = MOMENT if is_moment or option in _MOMENTS else TEXT
                yield NamedColumn(name, kind, _told_value(option, settings.options))
    if settings.type.endswith("TimezoneConverter"):
        yield from _in_rules((*settings.options["include_list"], *settings.options["exclude_list"]))


def _told_value(option: str, options: Mapping[str, Any]) -> str | None:
    """A value that shows what an outbox does with a column."""
    if option == "table_field_event_payload" and options["table_expand_json_payload"]:
        return _PAYLOAD
    return _ROUTED if option == "route_by_field" and "table_field_event_key" in options else None


def _in_rules(rules: Sequence[str]) -> Iterator[NamedColumn]:
    """Of TimezoneConverter: `source:<table>:<field>`, `topic:<topic>:<field>` or `<name>:<field>`; each may lack a field."""
    for rule in rules:
        _, *fields = _KIND_OF_RULE.sub("", rule).split(":")
        names = [_IN_ENVELOPES.sub("", field) for field in fields]
        yield from (NamedColumn(name, MOMENT) for name in names if _NAME.fullmatch(name))
