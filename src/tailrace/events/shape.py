"""Shape: what stands between a connector's changes and the encoders.

A `Shape` belongs to one structure version of one table. It knows the topic, the schemas and the policies of the
columns, and turns a batch of changes into records: policies first, then keys and the records that each change
becomes, then bytes. It knows nothing of the database that the changes came from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tailrace.changes import expand as roles
from tailrace.changes.expand import Expansion, expand
from tailrace.changes.model import Changes, Level
from tailrace.changes.records import Binary, Header, Records, nulls
from tailrace.changes.vectors import Vector
from tailrace.encoding.json import Envelope, EnvelopeEncoder, JsonFormat, StructEncoder
from tailrace.encoding.render import Program, Template
from tailrace.schema.envelope import TableSchemas

NEW_KEY_HEADER = "__debezium.newkey"
OLD_KEY_HEADER = "__debezium.oldkey"

ColumnPolicy = Callable[[Vector], Vector]


@dataclass(frozen=True, slots=True)
class ShapeSettings:
    """What shaping depends on besides the table.

    Attributes:
        tombstones: whether a delete is followed by a tombstone.
        skipped: operations to leave out, as in `skipped.operations`.
        key: how keys are written.
        value: how values are.
        header: how the keys in headers are.
        context_headers: headers that every record carries, by name, as JSON text (`__debezium.context.*`).

    """

    tombstones: bool = True
    skipped: frozenset[str] = frozenset()
    key: JsonFormat = JsonFormat()  # noqa: RUF009 -- immutable
    value: JsonFormat = JsonFormat()  # noqa: RUF009 -- immutable
    header: JsonFormat = JsonFormat()  # noqa: RUF009 -- immutable
    context_headers: Mapping[str, bytes] = field(default_factory=dict)

    def skipped_codes(self) -> npt.NDArray[np.bool_]:
        """True for each operation code that is left out; shape (256,)."""
        codes = np.zeros(256, np.bool_)
        codes[[ord(op) for op in self.skipped]] = True
        return codes


def position_program(widths: Sequence[int], levels: Sequence[Level], separator: bytes) -> Program:
    """The template of a position's text: integers of so many digits, found by level, with a separator between."""
    template = Template()
    for slot, (width, level) in enumerate(zip(widths, levels, strict=True)):
        template.const(separator if slot else b"")
        template.padded(slot, level, width)
    return template.program(roles.LASTING)


@dataclass(slots=True)
class Prepared:
    """A batch of changes whose records are known and not yet encoded.

    Attributes:
        shape: what encodes them.
        changes: the batch.
        keys: the key's columns over the images; None without a key.
        expansion: the records.
        total_order: rank of each record within its transaction, from 1; None without transaction metadata.
        data_collection_order: the same within its table.

    """

    shape: Shape
    changes: Changes
    keys: list[Vector] | None
    expansion: Expansion
    total_order: npt.NDArray[np.int64] | None = None
    data_collection_order: npt.NDArray[np.int64] | None = None


class Shape:
    """Records out of changes, for one structure version of a table."""

    def __init__(
        self,
        schemas: TableSchemas,
        settings: ShapeSettings,
        positions: Program,
        policies: Mapping[int, ColumnPolicy] | None = None,
    ) -> None:
        self.schemas = schemas
        self._settings = settings
        self._skipped = settings.skipped_codes()
        self._positions = positions
        self._policies = dict(policies or {})
        self._value = EnvelopeEncoder(schemas.envelope, settings.value)
        self._key = None if schemas.key is None else StructEncoder(schemas.key, settings.key)
        self._header_key = None if schemas.key is None else StructEncoder(schemas.key, settings.header)

    def prepare(self, changes: Changes) -> Prepared:
        """Which records the changes become; `records` makes them."""
        keys = self._columns(changes, self.schemas.key_columns) if self._key is not None else None
        expansion = expand(changes, keys, tombstones=self._settings.tombstones, skipped=self._skipped)
        return Prepared(self, changes, keys, expansion)

    def records(self, prepared: Prepared, now_us: int) -> Records:
        """The records, encoded; `now_us` is the processing time, microseconds since the epoch."""
        changes, expansion = prepared.changes, prepared.expansion
        envelope = Envelope(changes, expansion, now_us, prepared.total_order, prepared.data_collection_order)
        values = self._value.encode(self.values(changes), envelope)
        return Records(
            topic=self.schemas.topic,
            keys=self._keys(prepared.keys, expansion),
            values=values,
            timestamps=np.full(len(values), now_us // 1000, np.int64),
            positions=self.positions(changes, expansion),
            log_order=changes.log_order[expansion.roles[roles.CHANGE]],
            headers=self._headers(prepared.keys, expansion),
        )

    def values(self, changes: Changes) -> list[Vector]:
        """The value's columns over the images, after the policies."""
        columns = self._columns(changes, self.schemas.value_columns)
        for place, index in enumerate(self.schemas.value_columns):
            if index in self._policies:
                columns[place] = self._policies[index](columns[place])
        return columns

    @staticmethod
    def _columns(changes: Changes, indices: Sequence[int]) -> list[Vector]:
        columns = [changes.columns[i] for i in indices]
        return [column for column in columns if column is not None]

    def _keys(self, keys: list[Vector] | None, expansion: Expansion) -> Binary:
        if self._key is None or keys is None:
            return nulls(expansion.roles.shape[1])
        return self._key.encode(keys, expansion, roles.KEY)

    def _headers(self, keys: list[Vector] | None, expansion: Expansion) -> tuple[Header, ...]:
        headers = []
        if expansion.split and keys is not None and self._header_key is not None:
            for name, role in ((NEW_KEY_HEADER, roles.NEW_KEY), (OLD_KEY_HEADER, roles.OLD_KEY)):
                headers.append(Header(name, self._header_key.encode(keys, expansion, role)))
        return (*headers, *constant_headers(self._settings.context_headers, expansion.roles.shape[1]))

    def positions(self, changes: Changes, expansion: Expansion) -> Binary:
        """The text of each record's position."""
        return self._positions.render([fact.vector for fact in changes.position], expansion.roles)


def constant_headers(texts: Mapping[str, bytes], n: int) -> list[Header]:
    """Headers that all of `n` records carry, by name, as JSON text."""
    offsets = np.arange(n + 1, dtype=np.int64)
    return [
        Header(name, Binary(np.frombuffer(text * n, np.uint8), offsets * len(text))) for name, text in texts.items()
    ]
