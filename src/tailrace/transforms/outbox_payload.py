"""Payloads of an outbox table that are JSON, expanded; and which payloads are blank.

The types of a JSON text follow from its shape alone (`json_scan`), so the schema of a shape is inferred once, from one text,
and kept. Texts whose shape is not found there are parsed one by one in Python, as are those whose values do not stand for
the fields of the schema one after the other. Payloads of the same form become columns together.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from tailrace.changes.field_paths import Path, gathered, nulls_of, series
from tailrace.changes.grouping import Codes
from tailrace.changes.source_records import AnyColumn, Mask, SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.changes.views import take
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.json_columns import columns_of
from tailrace.transforms.json_scan import NotColumnarError, Part, ScannedTexts, columns_at, part_of, scanned
from tailrace.transforms.outbox_json import (
    JsonSchemas,
    MismatchError,
    NotExpandedError,
    checked,
    parsed,
    parsed_without_doubles,
)

log = logging.getLogger(__name__)

_JAVAS_BLANKS: Final = "".join(map(chr, range(33)))  # what String.trim() removes
_MOST_KNOWN: Final = 10_000  # shapes whose schemas are kept

_STAYS: Final = 0  # codes of payloads
_FAILS: Final = -1
_BY_VALUE: Final = -2


@dataclass(frozen=True, slots=True)
class PayloadForm:
    """What payloads that become columns together have in common.

    Attributes:
        schema: of the values.
        part: what their entries are of; None: they are Python's values.

    """

    schema: Schema
    part: Part = None


@dataclass(slots=True)
class Expanded:
    """Payloads as JSON values.

    Attributes:
        codes: 0 for payloads that stay as they are; i for those of `forms[i - 1]`; shape (n,).
        failed: which ones can't be values of the schema that follows from them; shape (n,).
        forms: the forms.
        values: the JSON values of those that have no entries, else None; shape (n,).
        texts: the entries of the others.

    """

    codes: Codes
    failed: Mask
    values: npt.NDArray[np.object_]
    texts: ScannedTexts | None = None
    forms: list[PayloadForm] = field(default_factory=list)

    def form(self, record: int) -> PayloadForm | None:
        """The form of a record's payload; None if it stays as it is."""
        code = int(self.codes[record])
        return self.forms[code - 1] if code else None

    def columns(self, records: npt.NDArray[np.int64], form: PayloadForm) -> list[AnyColumn]:
        """The columns of payloads of one form."""
        if form.part is None or self.texts is None:
            return columns_of(form.schema, self.values[records].tolist())
        return columns_at(self.texts, form.schema, form.part, self.texts.starts[records])

    def where(self, wanted: Mask) -> Expanded:
        """Those of some records."""
        texts = None if self.texts is None else self.texts.where(wanted)
        return Expanded(self.codes[wanted], self.failed[wanted], self.values[wanted], texts, self.forms)


def unexpanded(n: int) -> Expanded:
    """Payloads that all stay as they are."""
    return Expanded(np.zeros(n, np.int64), np.zeros(n, np.bool_), np.full(n, None, np.object_))


class PayloadExpander:
    """Expands payloads, and keeps what follows from their shapes.

    Args:
        name: of the column.
        schemas: how schemas are inferred.

    """

    def __init__(self, name: str, schemas: JsonSchemas) -> None:
        self._name = name
        self._schemas = schemas
        self._known: dict[bytes, PayloadForm | int] = {}  # by shapes

    def expanded(self, records: SourceRecords, payload: Path) -> Expanded:
        """The payloads as JSON."""
        found = unexpanded(len(records))
        if payload.schema.type is not Type.STRING:
            if not nulls_of(records, payload).all():
                log.warning("%s: table.expand.json.payload is set, and the payload is no text", records.topic)
            return found
        kept = self._expand(found, gathered(records, payload))
        if kept:
            log.warning("%s: %d payloads are no JSON objects and stay texts", records.topic, kept)
        return found

    def _expand(self, found: Expanded, payloads: Vector) -> int:
        """Fill `found`; returns how many texts stay texts."""
        texts = found.texts = scanned(payloads)
        outcomes = [self._outcome(shape, payloads, row) for shape, row in zip(texts.shapes, texts.examples, strict=True)]
        known: dict[PayloadForm, int] = {}
        codes = [_code(each, known) for each in outcomes]
        found.codes = np.array([*codes, _BY_VALUE], np.int64)[texts.codes]  # NO_SHAPE is the last one's index
        kept = int(np.count_nonzero(found.codes == _STAYS))
        one_by_one = np.flatnonzero((found.codes == _BY_VALUE) & payloads.is_valid())
        found.failed = found.codes == _FAILS
        found.codes[found.codes < 0] = _STAYS
        for row, text in zip(one_by_one.tolist(), _texts(payloads, one_by_one), strict=True):
            outcome, found.values[row] = self._parsed(text)
            code = _code(outcome, known)
            kept += code == _STAYS
            found.failed[row], found.codes[row] = code == _FAILS, max(code, _STAYS)
        found.forms = list(known)
        return kept

    def _outcome(self, shape: bytes, payloads: Vector, row: int) -> PayloadForm | int:
        """What becomes of payloads of a shape, of which there is one at a row."""
        if shape not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[shape] = self._inferred(_texts(payloads, np.array([row]))[0])
        return self._known[shape]

    def _inferred(self, text: str) -> PayloadForm | int:
        outcome, _ = self._parsed(text)
        if not isinstance(outcome, PayloadForm):
            return outcome
        try:
            return PayloadForm(outcome.schema, part_of(outcome.schema, parsed_without_doubles(text)))
        except (NotColumnarError, NotExpandedError):
            return _BY_VALUE

    def _parsed(self, text: str) -> tuple[PayloadForm | int, Any]:
        """What becomes of a text, and its value."""
        try:
            value = parsed(text)
            schema = self._schemas.schema_of_payload(self._name, value)
            return PayloadForm(schema), checked(schema, value)
        except NotExpandedError:
            return _STAYS, None
        except MismatchError:
            return _FAILS, None


def _code(outcome: PayloadForm | int, known: dict[PayloadForm, int]) -> int:
    return outcome if isinstance(outcome, int) else known.setdefault(outcome, len(known) + 1)


def _texts(payloads: Vector, rows: npt.NDArray[np.int64]) -> list[str]:
    return cast("list[str]", take(payloads, rows).to_arrow().to_pylist())


def blank(records: SourceRecords, payload: Path) -> Mask:
    """Which payloads are null, or texts of nothing but blanks; shape (n,)."""
    null = nulls_of(records, payload)
    if payload.schema.type is not Type.STRING:
        return null
    stripped = series(records, payload).cast(pl.String).str.strip_chars(_JAVAS_BLANKS)
    is_empty: Mask = null | (stripped == "").fill_null(value=True).to_numpy()
    return is_empty
