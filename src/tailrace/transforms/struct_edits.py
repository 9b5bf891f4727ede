"""Transforms of keys or values that are structs: the frame that most of Kafka's transforms share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tailrace.changes.additions import Additions, CannotApplyError, FailedRecordsError
from tailrace.changes.layout_edits import Edits, filled, named_nodes
from tailrace.changes.layouts import Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.failures import Failures
from tailrace.transforms.parts import Part, is_struct, split

REPLACE_NULL_WITH_DEFAULT: Final = Property(
    name="replace.null.with.default",
    kind=Kind.BOOL,
    default=True,
    doc="Whether nulls of fields that have a default become that default.",
)

EditLayout = Callable[[Layout, Additions], Layout]


class LayoutEdits:
    """Edits of the layouts of keys or values, with the columns that they need."""

    def __init__(self, part: Part, failures: Failures, edit: EditLayout) -> None:
        """`edit` may raise `CannotApplyError`."""
        self._part = part
        self._failures = failures
        self._edit = edit
        self._made: Edits[tuple[Layout, Additions]] = Edits(self._make)

    def __call__(self, records: SourceRecords) -> SourceRecords:
        """The records under their new layout; without those that failed, if that is tolerated."""
        layout = self._part.layout(records)
        if layout is None or not len(records):
            return records
        try:
            made, added = self._made.of(layout, len(records.columns), len(records.roles))
        except CannotApplyError as error:
            return self._failures.all_of(records, str(error))
        return self._part.with_layout(with_additions(records, added, self._failures), made)

    def _make(self, layout: Layout, slots: int, roles: int) -> tuple[Layout, Additions]:
        added = Additions(slots, roles)
        return self._edit(layout, added), added


class StructTransform:
    """A `Transform` of keys or values that are structs.

    Nulls stay as they are, or fail where Kafka's transform does on them; what is no struct fails.
    """

    def __init__(
        self,
        part: Part,
        failures: Failures,
        edit: Callable[[Struct, Additions], Node],
        *,
        takes_nulls: bool = True,
    ) -> None:
        """`edit` gives the new root, which is for records whose struct is there; it may raise `CannotApplyError`."""
        self._part = part
        self._failures = failures
        self._takes_nulls = takes_nulls
        self._edit_root = edit
        self._edits = LayoutEdits(part, failures, self._edit)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The nulls, and the changed structs."""
        found = split(records, self._part)
        made = [
            each if self._takes_nulls else self._failures.all_of(each, f"its {self._part.word} is null")
            for each in (found.missing, found.null)
            if each is not None
        ]
        if found.present is not None:
            made.append(self._edits(structs_of(found.present, self._part, self._failures)))
        return made

    def _edit(self, layout: Layout, added: Additions) -> Layout:
        root = layout.root
        if not isinstance(root, Struct):
            raise CannotApplyError("it is no struct")
        return Layout(self._edit_root(root, added), layout.lasting)


def structs_of(records: SourceRecords, part: Part, failures: Failures) -> SourceRecords:
    """The records if the part that is there is a struct in all of them; else they fail."""
    layout = part.layout(records)
    if layout is None or is_struct(layout):
        return records
    return failures.all_of(records, f"its {part.word} is a {layout.schema.type} and no struct")


def with_additions(records: SourceRecords, added: Additions, failures: Failures) -> SourceRecords:
    """The records with what is added to them, without those that fail on it."""
    while len(records):
        try:
            return added.added_to(records)
        except FailedRecordsError as error:
            records = failures.without(records, error.failed, error.why)
    return records


def fields_of(struct: Struct, *, fills: bool) -> list[tuple[str, Node]]:
    """The fields of a struct; `fills`: with defaults in place of nulls."""
    pairs = named_nodes(struct)
    return [(name, filled(node)) for name, node in pairs] if fills else pairs


def distinct(pairs: Iterable[tuple[str, Node]]) -> list[tuple[str, Node]]:
    """The fields.

    Raises:
        CannotApplyError: two have one name.

    """
    found = list(pairs)
    names = [name for name, _ in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CannotApplyError(f"it would have two fields {twice[0]!r}")
    return found
