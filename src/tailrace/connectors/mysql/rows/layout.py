"""Plans as the compiled code takes them: numbers, a block of tables, and places in a block of results.

A row of the matrix is a column's route (the loop that reads it), its width in the row image and the
parameters of the loop. Tables (characters of a set, views of labels, the view of a zero date's text) are
consecutive in one block. Results are in one block too: first the bitmaps, then the changes,
then the columns; every offset is a multiple of the number of images that fit, so that a layout
is computed once and scaled.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes, Kind
from tailrace.connectors.mysql.plan import KIND_OF_OUT, ColumnPlan, Out, Storage
from tailrace.connectors.mysql.rows import columns
from tailrace.connectors.mysql.rows.charsets import AS_IT_IS, CODECS, WIDE, keeps_ascii, single_byte_table
from tailrace.connectors.mysql.rows.columns import Route
from tailrace.connectors.mysql.rows.strings import BASE64, BASE64_URL, HEX
from tailrace.connectors.mysql.rows.temporal import ZERO_IS_NULL, ZERO_IS_NUMBER, ZERO_IS_TEXT
from tailrace.errors import UnsupportedError

Int64 = npt.NDArray[np.int64]

NUMBER, VIEW = 8, 16
"""Bytes a value of a slot takes: a number of any kind, or a view."""

TABLES: Final = 2
"""The number of the buffer of tables in a view; 0 is the log, 1 the text made."""

MOMENTS: Final = frozenset(
    {
        Storage.DATE,
        Storage.TIME2,
        Storage.DATETIME2,
        Storage.TIMESTAMP2,
        Storage.OLD_TIME,
        Storage.OLD_DATETIME,
        Storage.OLD_TIMESTAMP,
    }
)
_MOMENT_NUMBERS: Final = frozenset({Out.INT, Out.DAYS, Out.MILLIS, Out.MICROS, Out.NANOS})
_ENCODINGS: Final = {Out.BASE64: BASE64, Out.BASE64_URL: BASE64_URL, Out.HEX: HEX}
_FIXED: Final = {
    Storage.FLOAT: 4,
    Storage.DOUBLE: 8,
    Storage.DATE: 3,
    Storage.OLD_TIME: 3,
    Storage.OLD_DATETIME: 8,
    Storage.OLD_TIMESTAMP: 4,
    Storage.YEAR: 1,
}
_WITH_FRACTION: Final = {Storage.TIME2: 3, Storage.DATETIME2: 5, Storage.TIMESTAMP2: 4}
_PREFIXED: Final = frozenset({Storage.STRING, Storage.JSON, Storage.GEOMETRY, Storage.VECTOR})


CHANGE_WIDTHS: Final = (4, 4, 4, 4, 1)
"""Bytes of the fields of a change: before, after, event, row, op."""
_LINE: Final = 64
"""Columns begin at different places within a page, or they would fight for the same cache lines."""


class Form(enum.IntEnum):
    """How the slots of a column become a vector."""

    NONE = 0
    NUMBERS = 1
    BOOLEANS = 2
    VIEWS = 3
    SINGLES = 4
    DOUBLES = 5
    CODEC_TEXTS = 6
    DECIMAL_DOUBLES = 7
    JSON_TEXTS = 8
    STRUCT = 9
    LIST = 10


@dataclass(slots=True)
class Column:
    """What is needed to make a vector of a column's slots."""

    plan: ColumnPlan
    form: Form
    kind: Kind
    slot: int
    extra: int


@dataclass(slots=True)
class Layout:
    """The compiled plans of one table.

    Attributes:
        columns: what becomes of each column.
        numbers: a row of `columns.FIELDS` numbers for each column; then each column's width: bytes of its
            values, or minus the bytes of their length prefix; then the extra bitmap of each JSON column, -1
            for another one.
        tables: all tables, one after the other.
        slots: bytes a value in each slot of results.
        bitmaps: how many there are: valid and missing for each column, then the extra ones.
        zeroed: the extra bitmaps whose marks are zeroes.

    """

    columns: list[Column]
    numbers: Int64
    tables: Bytes
    slots: list[int]
    bitmaps: int
    zeroed: frozenset[int]

    def places(self, images: int) -> Places:
        """The offsets of everything in a block with room for `images` images."""
        widths = [images * width for width in CHANGE_WIDTHS]
        widths += [images // 8] * self.bitmaps
        widths += [images * width for width in self.slots]
        places = np.cumsum([0, *(width + _LINE for width in widths)])
        first_slot = len(CHANGE_WIDTHS) + self.bitmaps
        return Places(images, places[:-1].copy(), first_slot, places.tolist(), int(places[-1]))


@dataclass(slots=True)
class Places:
    """The offsets of changes, bitmaps and slots in a block with room for `images` images; also as a list."""

    images: int
    numbers: Int64
    first_slot: int
    listed: list[int]
    size: int


def width_of(plan: ColumnPlan) -> int:
    """Bytes of a column's values in a row image, or minus the bytes of their length prefix."""
    if plan.storage in _PREFIXED:
        return -plan.meta
    if plan.storage in _WITH_FRACTION:
        return _WITH_FRACTION[plan.storage] + (plan.meta + 1) // 2
    if plan.storage is Storage.DECIMAL:
        return _decimal_width(plan.meta >> 8, plan.meta & 0xFF)
    if plan.storage is Storage.BIT:
        return (plan.meta + 7) // 8
    return _FIXED.get(plan.storage, plan.meta)


def _decimal_width(precision: int, scale: int) -> int:
    """Groups of nine digits take four bytes, shorter ones fewer."""
    sizes = (0, 1, 1, 2, 2, 3, 3, 4, 4)
    whole = precision - scale
    return whole // 9 * 4 + sizes[whole % 9] + scale // 9 * 4 + sizes[scale % 9]


def compiled(plans: Sequence[ColumnPlan]) -> Layout:
    """The layout of a table with these columns; an `UnsupportedError` names a column that has no route."""
    builder = _Builder(len(plans))
    for c, plan in enumerate(plans):
        builder.add(c, plan)
    return builder.layout()


@dataclass(slots=True)
class _Builder:
    count: int
    rows: list[list[int]] = field(default_factory=list)
    diffs: list[int] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    parts: list[Bytes] = field(default_factory=list)
    size: int = 0
    slots: list[int] = field(default_factory=list)
    extra: int = 0

    def add(self, c: int, plan: ColumnPlan) -> None:
        """Adds one column."""
        row = [0] * columns.FIELDS
        row[columns.WIDTH] = width_of(plan)
        if plan.emit:
            route = _ROUTES.get(plan.storage, _moment)(self, row, plan)
            if route is None:
                raise UnsupportedError(
                    f"column {c + 1}: a value of {plan.storage.name} can't come out as {plan.out.name}"
                )
            row[columns.ROUTE] = route
        if plan.storage is Storage.JSON and not row[columns.EXTRA]:
            row[columns.EXTRA] = self.bitmap()
        self.diffs.append(row[columns.EXTRA] if plan.storage is Storage.JSON else -1)
        kind = KIND_OF_OUT[plan.out]
        self.columns.append(Column(plan, _form(plan, row), kind, row[columns.SLOT], row[columns.EXTRA]))
        self.rows.append(row)

    def layout(self) -> Layout:
        """The arrays."""
        widths = [row[columns.WIDTH] for row in self.rows]
        srids = frozenset(c.extra for c in self.columns if c.form is Form.STRUCT)
        return Layout(
            self.columns,
            np.array([*(n for row in self.rows for n in row), *widths, *self.diffs], np.int64),
            np.concatenate(self.parts) if self.parts else np.zeros(16, np.uint8),
            self.slots or [NUMBER],
            2 * self.count + self.extra,
            srids,
        )

    def slot(self, row: list[int], *sizes: int) -> None:
        """Gives a column its slots."""
        row[columns.SLOT] = len(self.slots)
        self.slots += sizes

    def bitmap(self) -> int:
        """Another bitmap."""
        self.extra += 1
        return 2 * self.count + self.extra - 1

    def table(self, table: Bytes) -> int:
        """Adds a table; where it begins."""
        start = self.size
        self.parts.append(table)
        self.size += len(table)
        return start

    def texts(self, texts: Sequence[bytes]) -> int:
        """Adds texts and then the views of them; where the views begin."""
        place = self.table(np.frombuffer(b"".join(texts), np.uint8))
        views = b""
        for text in texts:
            views += len(text).to_bytes(4, "little")
            views += (
                text.ljust(12, b"\0")
                if len(text) <= 12
                else text[:4] + TABLES.to_bytes(4, "little") + place.to_bytes(4, "little")
            )
            place += len(text)
        return self.table(np.frombuffer(views, np.uint8))

    def zero(self, row: list[int], plan: ColumnPlan) -> None:
        """Adds the replacement of a zero date."""
        if isinstance(plan.zero, str):
            row[columns.ZERO], row[columns.ZERO_VALUE] = ZERO_IS_TEXT, self.texts([plan.zero.encode()])
        elif plan.zero is not None:
            row[columns.ZERO], row[columns.ZERO_VALUE] = ZERO_IS_NUMBER, plan.zero
        else:
            row[columns.ZERO] = ZERO_IS_NULL


_FORMS: Final = {
    Kind.INT: Form.NUMBERS,
    Kind.BOOL: Form.BOOLEANS,
    Kind.FLOAT32: Form.SINGLES,
    Kind.FLOAT64: Form.DOUBLES,
    Kind.TEXT: Form.VIEWS,
    Kind.BYTES: Form.VIEWS,
    Kind.STRUCT: Form.STRUCT,
    Kind.LIST: Form.LIST,
}
_FORMS_OF_ROUTES: Final = {
    Route.SKIP: Form.NONE,
    Route.CODEC_TEXT: Form.CODEC_TEXTS,
    Route.DECIMAL_DOUBLE: Form.DECIMAL_DOUBLES,
    Route.JSON: Form.JSON_TEXTS,
}


def _form(plan: ColumnPlan, row: list[int]) -> Form:
    return (
        _FORMS_OF_ROUTES.get(Route(row[columns.ROUTE])) or _FORMS[KIND_OF_OUT[plan.out]]
        if plan.emit
        else Form.NONE
    )


def _integer(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    row[columns.A] = int(plan.unsigned)
    if plan.out in (Out.INT, Out.BIT_BOOL):
        builder.slot(row, NUMBER)
        return Route.INTEGER
    builder.slot(row, VIEW)
    return {Out.UNSCALED: Route.UNSCALED_INTEGER, Out.DECIMAL_TEXT: Route.INTEGER_TEXT}.get(plan.out)


def _float(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    builder.slot(row, NUMBER)
    if plan.storage is Storage.DOUBLE:
        return Route.INTEGER if plan.out in (Out.FLOAT32, Out.FLOAT64) else None
    return {Out.FLOAT32: Route.SINGLE, Out.FLOAT64: Route.WIDENED}.get(plan.out)


def _decimal(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    row[columns.A], row[columns.B] = plan.meta >> 8, plan.meta & 0xFF
    if plan.out is Out.FLOAT64:
        builder.slot(row, NUMBER)
        row[columns.EXTRA] = builder.bitmap()
        return Route.DECIMAL_DOUBLE
    builder.slot(row, VIEW)
    return {Out.UNSCALED: Route.UNSCALED_DECIMAL, Out.DECIMAL_TEXT: Route.DECIMAL_TEXT}.get(plan.out)


def _string(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    builder.slot(row, VIEW)
    row[columns.A] = plan.pad
    if plan.out in _ENCODINGS:
        row[columns.B] = _ENCODINGS[plan.out]
        return Route.ENCODED
    if plan.out is Out.BYTES or (plan.out is Out.TEXT and plan.charset in AS_IT_IS):
        return Route.PADDED_VIEW if plan.pad else Route.VIEW
    if plan.out is not Out.TEXT or plan.charset is None:
        return None
    return _text(builder, row, plan.charset)


def _text(builder: _Builder, row: list[int], charset: str) -> Route:
    table = single_byte_table(charset)
    if table is not None:
        row[columns.A], row[columns.B] = builder.table(table), int(keeps_ascii(charset))
        return Route.TABLE_TEXT
    if charset in WIDE:
        row[columns.A] = WIDE[charset]
        return Route.WIDE_TEXT
    if charset in CODECS:
        row[columns.EXTRA] = builder.bitmap()
        return Route.CODEC_TEXT
    raise UnsupportedError(f"the character set {charset} is not known: convert the column to utf8mb4")


def _moment(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    row[columns.A], row[columns.B] = plan.storage, plan.meta
    row[columns.C], row[columns.D] = plan.out, int(plan.adjust_years)
    builder.zero(row, plan)
    if plan.out in _MOMENT_NUMBERS:
        builder.slot(row, NUMBER)
        return Route.MOMENT_NUMBER
    builder.slot(row, VIEW)
    return Route.MOMENT_TEXT if plan.out in (Out.ISO, Out.ZONED) else None


def _year(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    builder.slot(row, NUMBER)
    return Route.YEAR if plan.out is Out.INT else None


def _labels(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    row[columns.A] = 0
    if plan.out is Out.INT:
        row[columns.A] = 1  # unsigned
        builder.slot(row, NUMBER)
        return Route.INTEGER
    builder.slot(row, VIEW)
    row[columns.A], row[columns.B] = builder.texts([b"", *plan.labels]), len(plan.labels)
    if plan.out is not Out.TEXT:
        return None
    return Route.ENUM if plan.storage is Storage.ENUM else Route.SET


def _bit(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    if plan.out in (Out.BIT_BOOL, Out.INT):
        builder.slot(row, NUMBER)
        return Route.BITS
    builder.slot(row, VIEW)
    return Route.BIT_BYTES if plan.out in (Out.BIT_BYTES, Out.BYTES) else None


def _json(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    builder.slot(row, VIEW)
    builder.zero(row, plan)
    row[columns.EXTRA] = builder.bitmap()
    return {Out.TEXT: Route.JSON, Out.BYTES: Route.VIEW}.get(plan.out)


def _geometry(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    row[columns.A] = int(plan.out is Out.POINT)
    row[columns.EXTRA] = builder.bitmap()
    builder.slot(row, VIEW, NUMBER, *([NUMBER, NUMBER] if plan.out is Out.POINT else []))
    return {Out.POINT: Route.GEOMETRY, Out.GEOMETRY: Route.GEOMETRY, Out.BYTES: Route.VIEW}.get(plan.out)


def _vector(builder: _Builder, row: list[int], plan: ColumnPlan) -> Route | None:
    builder.slot(row, VIEW)
    return Route.VIEW if plan.out in (Out.FLOATS, Out.BYTES) else None


_ROUTES: Final[dict[Storage, Callable[[Any, list[int], ColumnPlan], Route | None]]] = {
    Storage.INT: _integer,
    Storage.FLOAT: _float,
    Storage.DOUBLE: _float,
    Storage.DECIMAL: _decimal,
    Storage.STRING: _string,
    Storage.YEAR: _year,
    Storage.ENUM: _labels,
    Storage.SET: _labels,
    Storage.BIT: _bit,
    Storage.JSON: _json,
    Storage.GEOMETRY: _geometry,
    Storage.VECTOR: _vector,
}
