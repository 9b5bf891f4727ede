"""Columns and roles that a transform adds to records: values that it computes, rows where something is null.

They are planned once for a layout (`Edits`), with the slots and roles that they will have, and made for each batch. The number
of columns and roles that records have is therefore a variant of an edit: keys of one layout may come with different values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from tailrace.changes.field_paths import Path, is_null, nulls_of, repeated, with_default
from tailrace.changes.layout_edits import filled
from tailrace.changes.layouts import Array, Column, Constant, Node, Struct, Values, fills_nulls
from tailrace.changes.source_records import AnyColumn, Mask, Objects, SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.schema.connect import Type

Rows = npt.NDArray[np.int32]
MakeColumn = Callable[[SourceRecords], AnyColumn]
MakeRole = Callable[[SourceRecords], Rows]
Check = Callable[[SourceRecords], None]
_NESTED = {Type.STRUCT, Type.ARRAY, Type.MAP}


class CannotApplyError(Exception):
    """A transform can't do anything with records of this layout; the message says why, for `Failures`."""


class FailedRecordsError(Exception):
    """A transform fails on some of the records.

    Attributes:
        failed: which, shape (n,).
        why: for `Failures`.

    """

    def __init__(self, failed: Mask, why: str) -> None:
        super().__init__(why)
        self.failed = failed
        self.why = why


class Additions:
    """What is added behind the columns and roles that records have."""

    def __init__(self, slots: int, roles: int) -> None:
        """`slots`, `roles`: how many columns and roles the records have."""
        self._slots = slots
        self._roles = roles
        self._columns = 0  # so many of the steps are columns
        self._steps: list[tuple[MakeColumn, None] | tuple[None, MakeRole]] = []
        self._checks: list[Check] = []
        self._known: dict[Hashable, int] = {}

    def column(self, make: MakeColumn) -> int:
        """The slot of a further column. `make` may raise `FailedRecordsError`."""
        self._steps.append((make, None))
        self._columns += 1
        return self._slots + self._columns - 1

    def role(self, make: MakeRole, same: Hashable = None) -> int:
        """A further role; it is made once for all that give the same `same`."""
        if same is not None and same in self._known:
            return self._known[same]
        role = self._roles + len(self._steps) - self._columns
        self._steps.append((None, make))
        if same is not None:
            self._known[same] = role
        return role

    def check(self, check: Check) -> None:
        """Have records looked at; `check` raises `FailedRecordsError` where some of them fail."""
        self._checks.append(check)

    def each_record(self) -> int:
        """The role of columns with a row for each record."""
        return self.role(lambda records: np.arange(len(records), dtype=np.int32), "each record")

    def once(self) -> int:
        """The role of columns with one row for all records."""
        return self.role(lambda records: np.zeros(len(records), np.int32), "once")

    def added_to(self, records: SourceRecords) -> SourceRecords:
        """The records with all of it.

        Raises:
            FailedRecordsError: some can't be transformed.

        """
        columns = list(records.columns)
        added = np.empty((len(self._steps) - self._columns, len(records)), np.int32)
        roles = np.concatenate([records.roles, added]) if len(added) else records.roles
        growing, role = replace(records, columns=columns, roles=roles), self._roles
        for column, rows in self._steps:  # in their order: one may need another
            if column is not None:
                columns.append(column(growing))
            elif rows is not None:
                roles[role] = rows(growing)
                role += 1
        for check in self._checks:
            check(growing)
        return growing


def standing_alone(path: Path, added: Additions, *, fills: bool) -> Node:
    """The node of a field that is taken out of the structs around it, null where one of them is.

    `fills`: a null of the field itself, but not of a struct around it, becomes its default.
    """
    node = filled(path.node) if fills else path.node
    around = tuple(each for each in path.nodes[:-1] if isinstance(each, Struct) and each.role is not None)
    if not around:
        return node
    if isinstance(node, Constant):
        return _constant_within(node, around, added)
    if isinstance(node, Struct) and node.role is None:
        role = added.role(lambda records: _rows_within(records, around, None), (around, None))
        return replace(node, role=role)
    slot = node.slot
    if isinstance(node, Column) and fills_nulls(node):
        filling = node
        slot = added.column(lambda records: _filled_column(records, filling))
        node = replace(node, slot=slot, filled=False)
    return _within(node, around, added)


def path_within(root: Node, names: Sequence[str], added: Additions) -> Path | None:
    """The path to a field, as `path_to` gives it, also within structs of Python values."""
    nodes = [root]
    for name in names:
        around = opened(nodes[-1], added)
        found = around.field(name) if isinstance(around, Struct) else None
        if found is None:
            return None
        nodes = [*nodes[:-1], around, found]
    return Path(tuple(nodes))


def opened(node: Node, added: Additions) -> Node:
    """A struct of Python values as a struct of nodes, one for each field; other nodes stay as they are."""
    if not isinstance(node, Values) or node.schema.type is not Type.STRUCT:
        return node
    role = added.role(lambda records: np.where(is_null(records, node), np.int32(-1), records.roles[node.role]))
    fields = [
        Values(field.schema, added.column(partial(_members, slot=node.slot, name=field.name)), node.role)
        for field in node.schema.fields
    ]
    return Struct(node.schema, tuple(fields), role)


def _members(records: SourceRecords, slot: int, name: str) -> Objects:
    column = records.columns[slot]
    values = column.values if isinstance(column, Objects) else ()
    return Objects([None if value is None else value.get(name) for value in values])


def _within(node: Column | Values | Array | Struct, around: tuple[Struct, ...], added: Additions) -> Node:
    """The node with a role that has no row where a struct around it is null."""
    own = node.role
    others = tuple(each for each in around if each.slot is not None or each.role != own)
    if not others:  # null in the same records anyway
        return node
    role = added.role(lambda records: _rows_within(records, others, own), (others, own))
    return replace(node, role=role)


def _constant_within(node: Constant, around: tuple[Struct, ...], added: Additions) -> Node:
    if node.value is None:
        return node
    role = added.role(lambda records: _rows_within(records, around, None), (around, None))
    if node.schema.type in _NESTED:
        return Values(node.schema, added.column(lambda _: Objects([node.value])), role)
    return Column(node.schema, added.column(lambda _: repeated(node.schema, node.value, 1)), role)


def _rows_within(records: SourceRecords, around: tuple[Struct, ...], role: int | None) -> Rows:
    """The rows of a role, or 0; -1 where one of the structs is null."""
    null = nulls_of(records, Path(around))
    return np.where(null, np.int32(-1), np.int32(0) if role is None else records.roles[role]).astype(np.int32)


def _filled_column(records: SourceRecords, node: Column) -> AnyColumn:
    column = records.columns[node.slot]
    return with_default(column, node.schema) if isinstance(column, Vector) else column
