"""TimestampConverter: moments in another form: text, a number, or one of Connect's types.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tailrace.changes.additions import Additions, CannotApplyError, FailedRecordsError
from tailrace.changes.field_paths import is_null
from tailrace.changes.layout_edits import with_fields
from tailrace.changes.layouts import Column, Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import NO_DEFAULT
from tailrace.transforms.column_values import column_of, has_column
from tailrace.transforms.java_date_formats import JavaDateFormat
from tailrace.transforms.java_date_parsing import JavaDateParser
from tailrace.transforms.java_date_patterns import of_property
from tailrace.transforms.parts import Part, is_struct, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, LayoutEdits, fields_of
from tailrace.transforms.timestamps import PRECISIONS, STRING, TARGETS, UNIX, form_of, moments_of, vector_of_moments

_WHOLE: Final = "the whole"


class TimestampConverter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        field: str,
        target_type: str,
        format: str,  # noqa: A002 -- the property's name
        unix_precision: str,
        replace_null_with_default: bool,
    ) -> None:
        if target_type == STRING and not format.strip():
            raise ValueError("format is missing: target.type is string")
        self._field, self._target, self._pattern = field, target_type, format
        self._precision = unix_precision
        self._writer = of_property("format", JavaDateFormat, format) if target_type == STRING else None
        reads = bool(format.strip()) and target_type != STRING
        self._parser = of_property("format", JavaDateParser, format) if reads else None
        self._fills = replace_null_with_default
        self._part = Part(making.part)
        self._edits = LayoutEdits(self._part, making.failures, self._converted)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records; nulls that have a schema get the new one, too."""
        found = split(records, self._part)
        if found.missing is None:
            return (self._edits(records),)
        if found.null is None and found.present is None:
            return (records,)
        return (found.missing, self._edits(records.where(self._part.there(records))))

    def _converted(self, layout: Layout, added: Additions) -> Layout:
        root = layout.root
        if not self._field:
            return Layout(self._moment(root, root, added, _WHOLE), layout.lasting)
        if not isinstance(root, Struct) or not is_struct(layout):
            raise CannotApplyError(f"its {self._part.word} is a {layout.schema.type} and no struct")
        if root.schema.default is not NO_DEFAULT:
            raise CannotApplyError(f"its {self._part.word} is a struct with a default")
        pairs = [
            (name, self._moment(node, root, added, f"the field {name!r}") if name == self._field else node)
            for name, node in fields_of(root, fills=self._fills)
        ]
        return Layout(with_fields(root, pairs), layout.lasting)

    def _moment(self, node: Node, root: Node, added: Additions, what: str) -> Node:
        form = form_of(node.schema)
        if form is None or not has_column(node):
            why = f"{what} is a {node.schema.name or node.schema.type}, which is no moment"
            if what == _WHOLE:
                raise CannotApplyError(why)
            return self._nulls(node, root, added, why)
        if form == STRING and self._target == STRING:
            self._parser = self._parser or self._made_parser()
        schema = TARGETS[self._target].with_(optional=node.schema.optional)
        slot = added.column(lambda records: self._column(records, node, root, form, what))
        return Column(schema, slot, added.each_record())

    def _nulls(self, node: Node, root: Node, added: Additions, why: str) -> Node:
        """In place of what is no moment: of a null Kafka changes the schema without a look at it, and fails on all else."""

        def require_null(records: SourceRecords) -> None:
            failed = ~is_null(records, root)
            if failed.any():
                raise FailedRecordsError(failed, why)

        added.check(require_null)
        schema = TARGETS[self._target].with_(optional=node.schema.optional)
        return Column(schema, added.column(self._no_moments), added.each_record())

    def _no_moments(self, records: SourceRecords) -> Vector:
        n = len(records)
        return vector_of_moments(
            np.zeros(n, np.int64), np.zeros(n, np.bool_), self._target, self._precision, self._writer
        )

    def _made_parser(self) -> JavaDateParser:
        """For a text that is to become text: only now it is known that `format` is read, too."""
        try:
            return of_property("format", JavaDateParser, self._pattern)
        except ValueError as error:
            raise CannotApplyError(str(error)) from error

    def _column(self, records: SourceRecords, node: Node, root: Node, form: str, what: str) -> Vector:
        given = column_of(records, node)
        valid = given.is_valid() & ~is_null(records, root)
        moments, read = moments_of(given, form, self._precision, self._parser)
        failed = valid & ~read
        if failed.any():
            why = "set format to read it" if self._parser is None else f"format is {self._pattern!r}"
            raise FailedRecordsError(failed, f"{what} has a text that can't be read as a moment: {why}")
        return vector_of_moments(moments, valid, self._target, self._precision, self._writer)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.TimestampConverter",
    doc="Converts moments: text, numbers since the epoch, Connect's own types. Those of Debezium are numbers.",
    properties=(
        Property(name="field", default="", doc="The field; empty: the whole key or value."),
        Property(
            name="target.type",
            kind=Kind.ENUM,
            required=True,
            allowed=(STRING, UNIX, "Date", "Time", "Timestamp"),
            doc="What moments become.",
        ),
        Property(name="format", default="", doc="How text is written or read: a pattern of Java's `SimpleDateFormat`, in UTC."),
        Property(
            name="unix.precision",
            kind=Kind.ENUM,
            default="milliseconds",
            allowed=PRECISIONS,
            doc="The unit of numbers since the epoch.",
        ),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=TimestampConverter,
    has_parts=True,
)
