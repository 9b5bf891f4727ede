"""Keys or values of a format whose schemas are in a registry, framed with the id that the registry gives.

The schema of a layout is made when the layout first occurs, and its id is asked for when a topic first has a record of it that
is not null as a whole: such nulls are no values at all, and register nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from tailrace.changes.layouts import Layout
from tailrace.changes.records import Binary, Header, nulls
from tailrace.changes.source_records import AnyColumn, Mask, SourceRecords
from tailrace.encoding.failed_records import failing
from tailrace.encoding.plain.columns import is_there
from tailrace.encoding.registered.framing import ConstantHeader, Framing, headers_of, prefix_of
from tailrace.encoding.registered.nulls import NullError, whole_nulls
from tailrace.encoding.render import Roles
from tailrace.errors import ConfigError, DeliveryError, SchemaRefusedError
from tailrace.registry.schemas import RegistrySchema, SchemaId, SchemaIds

S = TypeVar("S", bound=RegistrySchema)

_OF_SCHEMAS = (ConfigError, DeliveryError)
_OF_IDS = (DeliveryError, SchemaRefusedError)  # a `ConfigError` is about the connection


class RecordProgram(Protocol):
    """What writes all records of a layout."""

    def render(self, columns: Sequence[AnyColumn], roles: Roles, live: Mask | None = None) -> Binary:
        """One datum for each record; null where `live` is false. Raises `NullError` for a null that can't be written."""
        ...


class RegisteredFormat(Protocol[S]):
    """A format."""

    @property
    def name(self) -> str:
        """The format in messages."""
        ...

    def written(self, layout: Layout) -> Layout:
        """The layout as it is written where the whole is not null."""
        ...

    def schema(self, layout: Layout) -> S:
        """What is registered for a layout. Raises `ConfigError` if the format can't express it."""
        ...

    def writes_null(self, layout: Layout) -> bool:
        """Whether a key or value that is null as a whole, with a schema, is a datum too; else it is null without one."""
        ...

    def place(self, schema: S) -> bytes:
        """What stands behind the id to find the type of the datum in the schema."""
        ...

    def program(self, layout: Layout, columns: Sequence[AnyColumn], prefix: bytes) -> RecordProgram:
        """The program of a layout; `prefix` stands before each datum."""
        ...


@dataclass(slots=True)
class _Known(Generic[S]):
    """What is known of a layout: how it is written, its schema, and programs by what stands before each datum."""

    layout: Layout
    schema: S
    programs: dict[bytes, RecordProgram] = field(default_factory=dict)


class RegisteredMessages(Generic[S]):
    """Renders keys or values, and keeps the programs of their layouts.

    Args:
        part: `key` or `value`.
        ids: the registry's.
        framing: where ids stand.
        format_: how schemas and values are written.

    """

    def __init__(self, part: str, ids: SchemaIds, framing: Framing, format_: RegisteredFormat[S]) -> None:
        self._part = part
        self._ids = ids
        self._framing = framing
        self._format = format_
        self._layouts: WeakKeyDictionary[Layout, _Known[S]] = WeakKeyDictionary()

    def render(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None, topic: str | None = None
    ) -> Binary:
        """One message for each record; null where `present` is false, or where the whole key or value is null.

        Args:
            layout: of the keys or values.
            records: their columns and roles.
            present: shape (n,); None: all.
            topic: for which schemas are registered; None: that of the records.

        Raises:
            ConfigError: the format can't express a schema; the message says which part.
            DeliveryError: a value can't be written with its schema; the message names topic, field and position.
            RegistryError: the registry refuses or lacks the schema.
            RegistryUnavailableError: the registry does not answer.

        """
        return self.render_with_headers(layout, records, present, topic)[0]

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None, topic: str | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The same, and the headers that tell the schema of the messages; there are none if a prefix tells it."""
        topic = records.topic if topic is None else topic
        live = present
        if not self._format.writes_null(layout):
            live = _live(layout, records.columns, records.roles, present)
        n = len(records)
        if live is not None and not live.any():
            return nulls(n), ()
        with failing(is_there(records, live), *_OF_SCHEMAS):
            known = self._known(layout)
        with failing(is_there(records, live), *_OF_IDS):
            schema_id = self._ids.id_for(topic, known.schema)
        place = self._format.place(known.schema)
        program = self._program(known, prefix_of(self._framing, schema_id, place), records.columns)
        try:
            made = program.render(records.columns, records.roles, live)
        except NullError as error:
            position = (records.positions[error.record] or b"").decode(
                errors="replace"
            ) or "a record without a position"
            raise DeliveryError(
                f"{topic}: {error.name} is null at {position}, and its schema is not optional; {self._format.name} can't "
                "express it. The log holds whole rows only if the database is set to write them"
            ) from None
        except DeliveryError as error:
            raise DeliveryError(f"{topic}: {error}") from None
        return made, self._headers(schema_id, place, live, n)

    def described(self, topic: str, layout: Layout) -> str:
        """The format, and where its schema is kept, for people; nothing is asked of the registry.

        Raises:
            ConfigError: the format can't express the schema.
            DeliveryError: the strategy has no name for it.

        """
        schema = self._format.schema(self._format.written(layout))
        return f"{self._format.name}, {self._ids.described(topic, schema)}"

    def close(self) -> None:
        """Close the connection to the registry; it is opened again when it is needed."""
        self._ids.close()

    def _known(self, layout: Layout) -> _Known[S]:
        found = self._layouts.get(layout)
        if found is None:
            written = self._format.written(layout)
            found = self._layouts[layout] = _Known(written, self._format.schema(written))
        return found

    def _program(self, known: _Known[S], prefix: bytes, columns: Sequence[AnyColumn]) -> RecordProgram:
        found = known.programs.get(prefix)
        if found is None:
            found = known.programs[prefix] = self._format.program(known.layout, columns, prefix)
        return found

    def _headers(self, schema_id: SchemaId, place: bytes, live: Mask | None, n: int) -> tuple[Header, ...]:
        return tuple(_header(each, live, n) for each in headers_of(self._framing, schema_id, self._part, place))


def _live(layout: Layout, columns: Sequence[AnyColumn], roles: np.ndarray, present: Mask | None) -> Mask | None:
    """Which records have a datum; None: all."""
    missing = whole_nulls(layout, columns, roles)
    if missing is None:
        return present
    return ~missing if present is None else present & ~missing


def _header(header: ConstantHeader, live: Mask | None, n: int) -> Header:
    name, value = header
    lengths = np.full(n, len(value), np.int64) if live is None else np.where(live, len(value), 0)
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    count = int(offsets[-1]) // len(value)
    return Header(name, Binary(np.tile(np.frombuffer(value, np.uint8), count), offsets, live))
