"""ExtractField: a field of a key or value in its place.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tailrace.changes.additions import (
    Additions,
    CannotApplyError,
    FailedRecordsError,
    opened,
    path_within,
    standing_alone,
)
from tailrace.changes.field_paths import Path, nulls_of
from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Property
from tailrace.schema.connect import NO_DEFAULT
from tailrace.transforms.field_syntax import FIELD_SYNTAX_VERSION, field_path
from tailrace.transforms.parts import Part, is_struct, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, LayoutEdits


class ExtractField:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, field: str, field_syntax_version: str, replace_null_with_default: bool) -> None:
        self._field = field
        self._names = field_path(field, field_syntax_version)
        self._fills = replace_null_with_default
        self._part = Part(making.part)
        self._failures = making.failures
        self._edits = LayoutEdits(self._part, making.failures, self._extracted)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The nulls without a schema, and the fields; of a null that has a schema the field is null."""
        found = split(records, self._part)
        if found.missing is None:
            return (self._edits(records),)
        if found.null is None and found.present is None:
            return (records,)
        return (found.missing, self._edits(records.where(self._part.there(records))))

    def _extracted(self, layout: Layout, added: Additions) -> Layout:
        if not is_struct(layout):
            raise CannotApplyError(f"its {self._part.word} is a {layout.schema.type} and no struct")
        path = path_within(layout.root, self._names, added)
        if path is None:
            raise CannotApplyError(f"its {self._part.word} has no field {self._field!r}")
        if not path.schema.optional and path.schema.default is NO_DEFAULT:
            added.check(partial(self._require, path))
        return Layout(opened(standing_alone(path, added, fills=self._fills), added), layout.lasting)

    def _require(self, path: Path, records: SourceRecords) -> None:
        """Converters of Connect fail on a null whose schema is that of a required field."""
        null = nulls_of(records, path)
        if null.any():
            raise FailedRecordsError(null, f"the field {self._field!r} is required and has no value where a struct is null")


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.ExtractField",
    doc="Puts a field in the place of the whole key or value.",
    properties=(
        Property(name="field", required=True, doc="The field."),
        FIELD_SYNTAX_VERSION,
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=ExtractField,
    has_parts=True,
)
