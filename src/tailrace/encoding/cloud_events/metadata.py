"""Where the metadata of a cloud event come from: `metadata.source`.

Source: Debezium's documentation of its CloudEventsConverter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

VALUE, HEADER, GENERATE = "value", "header", "generate"
ID, TYPE, TRACE_PARENT, DATA_SCHEMA_NAME = "id", "type", "traceparent", "dataSchemaName"
DEFAULT_SOURCES: Final = ("value", "id:generate", "type:generate", "traceparent:header", "dataSchemaName:generate")
_PARTS: Final = (ID, TYPE, TRACE_PARENT, DATA_SCHEMA_NAME)


@dataclass(frozen=True, slots=True)
class MetadataSource:
    """What is taken from headers.

    Attributes:
        source: the source block, the operation and the transaction; then all of the value is data.
        id: the event's id; else it is generated.
        type: the event's type; else it is generated.
        trace_parent: the attribute `traceparent`.
        data_schema_name: the name of the schema of data; else it is generated.

    """

    source: bool = False
    id: bool = False
    type: bool = False
    trace_parent: bool = False
    data_schema_name: bool = False

    @property
    def any(self) -> bool:
        """Whether any header is read."""
        return self.source or self.id or self.type or self.trace_parent or self.data_schema_name


def metadata_source(items: Sequence[str], *, tracing: bool, named_by_header: bool) -> MetadataSource:
    """The sources that `metadata.source` names.

    Args:
        items: of the list.
        tracing: `opentelemetry.tracing.attributes.enable`.
        named_by_header: `schema.data.name.source.header.enable`.

    Raises:
        ValueError: an item is wrong, or all records would fail; the message says why.

    """
    first = items[0].strip().lower() if items else ""
    if first not in (VALUE, HEADER):
        raise ValueError(f"it must begin with {VALUE} or {HEADER}")
    found = dict.fromkeys(_PARTS, first) | dict(map(_part, items[1:]))
    for part in (ID, TYPE):
        if found[part] == VALUE:
            raise ValueError(f"an event's {part} can't be taken from the value: add {part}:{GENERATE}")
    if tracing and found[TRACE_PARENT] != HEADER:
        raise ValueError(f"{TRACE_PARENT} can be taken from a header only: add {TRACE_PARENT}:{HEADER}")
    return MetadataSource(
        source=first == HEADER,
        id=found[ID] == HEADER,
        type=found[TYPE] == HEADER,
        trace_parent=tracing,
        data_schema_name=found[DATA_SCHEMA_NAME] == HEADER and named_by_header,
    )


def _part(item: str) -> tuple[str, str]:
    name, _, source = item.partition(":")
    source = source.strip().lower()
    if name not in _PARTS or source not in (HEADER, GENERATE):
        raise ValueError(f"{item!r} must be one of {', '.join(_PARTS)}, then :{GENERATE} or :{HEADER}")
    return name, source
