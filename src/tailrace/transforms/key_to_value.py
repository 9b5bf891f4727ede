"""Aiven's KeyToValue: the key, or fields of it, as fields of the value. Source: Aiven's documentation of its transforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tailrace.changes.additions import CannotApplyError
from tailrace.changes.layout_edits import Edits, struct_of
from tailrace.changes.layouts import Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import NO_DEFAULT
from tailrace.transforms.parts import KEYS, VALUES, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import fields_of, structs_of

WHOLE: Final = "*"
_NAME_OF_WHOLE: Final = "_key"


class KeyToValue:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, key_fields: tuple[str, ...], value_fields: tuple[str, ...]) -> None:
        if not key_fields:
            raise ValueError("key.fields is empty: name fields of the key, or write *")
        named = [*value_fields, *key_fields[len(value_fields) :]]
        pairs = [(_NAME_OF_WHOLE if new == WHOLE else new, old) for new, old in zip(named, key_fields, strict=False)]
        self._origins = dict(pairs)
        if len(self._origins) < len(pairs):
            raise ValueError("value.fields gives two fields the same name")
        self._failures = making.failures
        self._values: Edits[Edits[Layout]] = Edits(self._by_keys)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with their new values; records without a key or a value fail."""
        made: list[SourceRecords] = []
        for part in (VALUES, KEYS):
            found = split(records, part)
            nulls = [each for each in (found.missing, found.null) if each is not None]
            made += [self._failures.all_of(each, f"its {part.word} is null") for each in nulls]
            if found.present is None:
                return made
            records = found.present
        return [*made, self._joined(structs_of(records, VALUES, self._failures))]

    def _joined(self, records: SourceRecords) -> SourceRecords:
        if not len(records) or records.key is None:
            return records
        try:
            return replace(records, value=self._values.of(records.value).of(records.key))
        except CannotApplyError as error:
            return self._failures.all_of(records, str(error))

    def _by_keys(self, value: Layout) -> Edits[Layout]:
        root, lasting = value.root, value.lasting  # and not the layout, which would never go
        return Edits(lambda key: Layout(self._with_key(root, key.root), lasting))

    def _with_key(self, value: Node, key: Node) -> Node:
        """The value's fields, those of the key in their places or at the end."""
        if not isinstance(value, Struct):
            raise CannotApplyError("its value is no struct")
        nodes = dict(fields_of(value, fills=True))
        of_key = dict(fields_of(key, fills=True)) if isinstance(key, Struct) else {}
        for new, old in self._origins.items():
            if old != WHOLE and old not in of_key:
                raise CannotApplyError(f"its key has no field {old!r}")
            nodes[new] = key if old == WHOLE else of_key[old]
        return struct_of(value.schema.with_(default=NO_DEFAULT), nodes.items())


SPEC = TransformSpec(
    name="io.aiven.kafka.connect.transforms.KeyToValue",
    doc="Copies the key, or fields of it, into the value.",
    properties=(
        Property(name="key.fields", kind=Kind.LIST, required=True, doc="Fields of the key; `*` is the whole key."),
        Property(
            name="value.fields",
            kind=Kind.LIST,
            doc=f"Their names in the value; without one as in the key, `{_NAME_OF_WHOLE}` for the whole key.",
        ),
    ),
    make=KeyToValue,
)
