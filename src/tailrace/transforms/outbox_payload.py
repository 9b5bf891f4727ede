"""Payloads of an outbox table that are JSON, expanded; and which payloads are blank.

A JSON text is parsed value by value in Python: its types are known only then. Payloads with the same schema become columns
together.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl

from tailrace.changes.field_paths import Path, nulls_of, series
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.grouping import Codes
from tailrace.transforms.outbox_json import JsonSchemas, MismatchError, NotExpandedError, checked, parsed

log = logging.getLogger(__name__)

_JAVAS_BLANKS: Final = "".join(map(chr, range(33)))  # what String.trim() removes


@dataclass(slots=True)
class Expanded:
    """Payloads as JSON values.

    Attributes:
        codes: 0 for payloads that stay as they are; i for those of `schemas[i - 1]`; shape (n,).
        failed: which ones can't be values of the schema that follows from them; shape (n,).
        schemas: the schemas.
        values: the JSON values; None for payloads that stay as they are.

    """

    codes: Codes
    failed: Mask
    schemas: list[Schema] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def schema(self, record: int) -> Schema | None:
        """The schema of a record's payload; None if it stays as it is."""
        code = int(self.codes[record])
        return self.schemas[code - 1] if code else None

    def where(self, wanted: Mask) -> Expanded:
        """Those of some records."""
        values = [value for value, is_wanted in zip(self.values, wanted, strict=True) if is_wanted]
        return Expanded(self.codes[wanted], self.failed[wanted], self.schemas, values)


def unexpanded(n: int) -> Expanded:
    """Payloads that all stay as they are."""
    return Expanded(np.zeros(n, np.int64), np.zeros(n, np.bool_), [], [None] * n)


def expanded(records: SourceRecords, payload: Path, name: str, schemas: JsonSchemas) -> Expanded:
    """The payloads as JSON; `name` is that of the column."""
    found = unexpanded(len(records))
    if payload.schema.type is not Type.STRING:
        if not nulls_of(records, payload).all():
            log.warning("%s: table.expand.json.payload is set, and the payload is no text", records.topic)
        return found
    kept = _expand(found, series(records, payload).to_list(), name, schemas)
    if kept:
        log.warning("%s: %d payloads are no JSON objects and stay texts", records.topic, kept)
    return found


def blank(records: SourceRecords, payload: Path) -> Mask:
    """Which payloads are null, or texts of nothing but blanks; shape (n,)."""
    null = nulls_of(records, payload)
    if payload.schema.type is not Type.STRING:
        return null
    stripped = series(records, payload).cast(pl.String).str.strip_chars(_JAVAS_BLANKS)
    is_empty: Mask = null | (stripped == "").fill_null(value=True).to_numpy()
    return is_empty


def _expand(found: Expanded, payloads: Sequence[str | None], name: str, schemas: JsonSchemas) -> int:
    """Fill `found`; returns how many texts stay texts."""
    known: dict[Schema, int] = {}
    kept = 0
    for i, text in enumerate(payloads):
        if text is None:
            continue
        try:
            value = parsed(text)
            schema = schemas.schema_of_payload(name, value)
            found.values[i] = checked(schema, value)
        except NotExpandedError:
            kept += 1
        except MismatchError:
            found.failed[i] = True
        else:
            found.codes[i] = known.setdefault(schema, len(known) + 1)
    found.schemas = list(known)
    return kept
