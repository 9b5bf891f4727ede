"""Expands changes into records: which records a change becomes, and in which order.

A delete is followed by a tombstone. An update that changes the key becomes a delete of the old key, its tombstone and a
create of the new key; delete and create each have a header with the other key. Operations may be skipped.
Source: Debezium's reference, "Change event values" and "Primary key updates".

For each record the result has the change, the images and the operation from which it is made. Encoders use these indices as
the roles of their templates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.address_table import address_table
from tailrace.changes.model import CREATE, DELETE, UPDATE, Changes, Level
from tailrace.changes.vectors import Kind, Vector
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load8, load32, load64

CHANGE: Final = int(Level.CHANGE)  # rows of `Expansion.roles`: the change of a record
BEFORE: Final = 1
AFTER: Final = 2
KEY: Final = 3  # the image that the key is taken from
NEW_KEY: Final = 4  # the image whose key is in the header `__debezium.newkey`
OLD_KEY: Final = 5
RECORD: Final = 6  # the record itself
BATCH: Final = int(Level.BATCH)  # always 0: values of the whole batch
EVENT: Final = int(Level.EVENT)  # the event of the change
TRANSACTION: Final = int(Level.TRANSACTION)  # its transaction
ROLES: Final = 10
LASTING: Final = (EVENT, TRANSACTION, BATCH)  # their row stays the same for many records: see `Template.program`


@dataclass(slots=True)
class Expansion:
    """`n` records.

    Attributes:
        roles: indices, shape (ROLES, n); -1 where there is none.
        op: the envelope's `op` as its ASCII code; shape (n,).
        live: False for a tombstone; shape (n,).
        split: whether an update became a delete and a create.

    """

    roles: npt.NDArray[np.int32]
    op: npt.NDArray[np.uint8]
    live: npt.NDArray[np.bool_]
    split: bool


def expand(
    changes: Changes,
    keys: list[Vector] | None,
    *,
    tombstones: bool,
    skipped: npt.NDArray[np.bool_] | None = None,
    skips_records: bool = False,
) -> Expansion:
    """The records of a batch of changes.

    Args:
        changes: in log order.
        keys: the key's columns over the images; None for a table without a key.
        tombstones: whether a delete is followed by a tombstone.
        skipped: True for operation codes to leave out, shape (256,); None: none.
        skips_records: whether `skipped` leaves out the delete or the create that an update of the key becomes, and not that
            update as a whole.

    """
    n = len(changes)
    moved = _moved(changes, keys)
    skip = np.zeros(256, np.bool_) if skipped is None else skipped
    # at most: a delete has a tombstone, an update of the key becomes a delete, a tombstone and a create
    room = n + int(np.count_nonzero(changes.op == DELETE)) + 2 * int(np.count_nonzero(moved))
    roles = np.full((ROLES, room), -1, np.int32)
    op = np.empty(room, np.uint8)
    live = np.ones(room, np.bool_)
    no_parts = np.zeros(256, np.bool_)
    skip_part = skip if skips_records else no_parts
    skip_moved = not skips_records and bool(skip[UPDATE])
    count = _fill(
        changes.op, changes.before, changes.after, moved, skip, skip_part, skip_moved, tombstones, roles, op, live
    )
    roles[RECORD, :count] = np.arange(count, dtype=np.int32)
    roles[BATCH] = 0
    if count < room:
        roles = np.ascontiguousarray(roles[:, :count])
    roles[EVENT] = changes.event[roles[CHANGE]]
    roles[TRANSACTION] = changes.transaction[roles[CHANGE]]
    return Expansion(roles, op[:count], live[:count], bool(moved.any()))


def _moved(changes: Changes, keys: list[Vector] | None) -> npt.NDArray[np.bool_]:
    """True for each update that changes the key; shape (changes,)."""
    moved = np.zeros(len(changes), np.bool_)
    if keys and (changes.op == UPDATE).any():
        flat = [leaf for key in keys for leaf in _plain_leaves(key)]
        table, kept = address_table(flat)
        widths = np.array([_WIDTH[vector.kind] for vector in flat], np.int64)
        _compare(table, widths, changes.op, changes.before, changes.after, moved)
        del kept
    return moved


_WIDTH: Final = {
    Kind.INT: 8,
    Kind.BOOL: 8,
    Kind.FLOAT32: 4,
    Kind.FLOAT64: 8,
    Kind.TEXT: 0,  # a view
    Kind.BYTES: 0,
}


def _plain_leaves(vector: Vector) -> list[Vector]:
    if vector.kind is Kind.STRUCT:
        return [leaf for child in vector.children for leaf in _plain_leaves(child)]
    return [vector]


@inlined
def _same_view(table: Any, slot: Int, a: Int, b: Int) -> bool:
    left = table[slot, 0] + 16 * a
    right = table[slot, 0] + 16 * b
    length = np.int64(load32(left))
    if length != np.int64(load32(right)):
        return False
    p = left + 4
    q = right + 4
    if length > 12:
        buffers = table[slot, 2]
        p = np.int64(load64(buffers + 8 * np.int64(load32(left + 8))))
        p += np.int64(load32(left + 12))
        q = np.int64(load64(buffers + 8 * np.int64(load32(right + 8))))
        q += np.int64(load32(right + 12))
    for k in range(length):  # noqa: SIM110 -- compiled: a generator is not
        if load8(p + k) != load8(q + k):
            return False
    return True


@inlined
def _same_value(table: Any, widths: Any, slot: Int, a: Any, b: Any) -> bool:
    bitmap = table[slot, 1]
    if bitmap != 0:
        left = (load8(bitmap + (a >> 3)) >> np.uint8(a & 7)) & np.uint8(1)
        right = (load8(bitmap + (b >> 3)) >> np.uint8(b & 7)) & np.uint8(1)
        if left != right:
            return False
        if left == 0:
            return True
    width = widths[slot]
    if width == 8:
        return bool(load64(table[slot, 0] + 8 * a) == load64(table[slot, 0] + 8 * b))
    if width == 4:
        return bool(load32(table[slot, 0] + 4 * a) == load32(table[slot, 0] + 4 * b))
    return bool(_same_view(table, slot, a, b))


@entry(arg.INT_TABLE, arg.READ_INTS, arg.READ_BYTES, arg.READ_INT32S, arg.READ_INT32S, arg.FLAGS)
def _compare(table: Any, widths: Any, op: Any, before: Any, after: Any, moved: Any) -> None:
    for i in range(len(op)):
        if op[i] != UPDATE or before[i] < 0 or after[i] < 0:
            continue
        for slot in range(len(widths)):
            if not _same_value(table, widths, slot, np.int64(before[i]), np.int64(after[i])):
                moved[i] = True
                break


@inlined
def _put(roles: Any, o: Int, change: Int, before: Int, after: Int, key: Int) -> None:
    roles[CHANGE, o] = change
    roles[BEFORE, o] = before
    roles[AFTER, o] = after
    roles[KEY, o] = key


@entry(
    arg.READ_BYTES, arg.READ_INT32S, arg.READ_INT32S, arg.READ_FLAGS, arg.READ_FLAGS, arg.READ_FLAGS, arg.FLAG,
    arg.FLAG, arg.INT32_TABLE, arg.BYTES, arg.FLAGS
)
def _fill(
    ops: Any,
    before: Any,
    after: Any,
    moved: Any,
    skip: Any,
    skip_part: Any,
    skip_moved: bool,
    tombstones: bool,
    roles: Any,
    op: Any,
    live: Any,
) -> int:
    o = 0
    for i in range(len(ops)):
        kind = ops[i]
        if skip_moved if moved[i] else skip[kind]:
            continue
        old = before[i]
        new = after[i]
        if moved[i]:
            if not skip_part[DELETE]:
                _put(roles, o, i, old, -1, old)
                op[o] = DELETE
                roles[NEW_KEY, o] = new
                o += 1
                if tombstones:
                    _put(roles, o, i, -1, -1, old)
                    roles[NEW_KEY, o] = new
                    op[o] = DELETE
                    live[o] = False
                    o += 1
            if not skip_part[CREATE]:
                _put(roles, o, i, -1, new, new)
                op[o] = CREATE
                roles[OLD_KEY, o] = old
                o += 1
            continue
        _put(roles, o, i, old, new, new if new >= 0 else old)
        op[o] = kind
        o += 1
        if kind == DELETE and tombstones:
            _put(roles, o, i, -1, -1, old)
            op[o] = DELETE
            live[o] = False
            o += 1
    return o
