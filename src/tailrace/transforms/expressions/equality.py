"""Java's equals(): values of one type that are the same. Structs are equal if all their fields are."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from tailrace.changes.field_paths import Path, gathered, nulls_of, series
from tailrace.changes.layouts import Struct, Values
from tailrace.changes.source_records import Mask
from tailrace.changes.vectors import Kind, Vector
from tailrace.schema.connect import Type
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.texts import Texts, as_mask
from tailrace.transforms.expressions.values import (
    NOTHING,
    Booleans,
    Floats,
    Instants,
    Integers,
    Opaque,
    Structs,
    Value,
    described,
)


def java_equal(evaluation: Evaluation, left: Value, right: Value, mask: Mask) -> Mask:
    """Whether values are equal, shape (n,)."""
    if isinstance(left, NOTHING) or isinstance(right, NOTHING):
        return np.full(evaluation.n, isinstance(left, NOTHING) and isinstance(right, NOTHING))
    if isinstance(left, Structs) and isinstance(right, Structs):
        return struct_equal(evaluation, left, right, mask)
    found = _of_one_type(left, right)
    if found is None and type(left) is type(right) and not isinstance(left, Integers | Floats | Decimals):
        evaluation.fail(mask, f"{described(left)} can't be compared with {described(right)} here")
    return np.zeros(evaluation.n, np.bool_) if found is None else found


def _of_one_type(left: Value, right: Value) -> Mask | None:
    if isinstance(left, Texts) and isinstance(right, Texts):
        return left.equal(right)
    if isinstance(left, Opaque) and isinstance(right, Opaque):
        return bytes_equal(left, right)
    if isinstance(left, Integers) and isinstance(right, Integers) and left.bits == right.bits:
        return as_mask(left.data == right.data)
    if isinstance(left, Floats) and isinstance(right, Floats) and left.bits == right.bits:
        return _same_floats(left.data, right.data)
    if isinstance(left, Decimals) and isinstance(right, Decimals) and left.scale == right.scale:
        return as_mask(left.unscaled == right.unscaled)
    if isinstance(left, Booleans | Instants) and type(left) is type(right):
        return as_mask(left.data == right.data)
    return None


def bytes_equal(left: Opaque, right: Opaque) -> Mask | None:
    """Whether bytes of columns are equal, shape (n,); None if these are none."""
    if left.series is None or right.series is None:
        return None
    return as_mask((left.series == right.series).fill_null(value=False).to_numpy())


def struct_equal(evaluation: Evaluation, left: Structs, right: Structs, mask: Mask) -> Mask:
    """Whether structs are equal: of one schema, with equal fields; nulls are as they are stored."""
    if is_same(left, right):
        return np.ones(evaluation.n, np.bool_)
    if left.schema is not right.schema and left.schema.with_(doc=None) != right.schema.with_(doc=None):
        return np.zeros(evaluation.n, np.bool_)
    return _nodes_equal(evaluation, left.path, right.path, mask)


def is_same(left: Value, right: Value) -> bool:
    """Whether two are one object of Java's, which equals itself and has its own place in an order, whatever is in it."""
    if not (isinstance(left, Structs) and isinstance(right, Structs)):
        return False
    nodes = zip(left.path.nodes, right.path.nodes, strict=False)
    return len(left.path.nodes) == len(right.path.nodes) and all(one is other for one, other in nodes)


def _nodes_equal(evaluation: Evaluation, left: Path, right: Path, mask: Mask) -> Mask:
    records = evaluation.reading.records
    one, other = nulls_of(records, left), nulls_of(records, right)
    both = ~one & ~other
    if not both.any():
        return as_mask(one & other)
    return as_mask((one & other) | (both & _present_equal(evaluation, left, right, mask & both)))


def _present_equal(evaluation: Evaluation, left: Path, right: Path, mask: Mask) -> Mask:
    records = evaluation.reading.records
    if isinstance(left.node, Struct) and isinstance(right.node, Struct):
        equal = np.ones(evaluation.n, np.bool_)
        for one, other in zip(left.node.fields, right.node.fields, strict=True):
            equal &= _nodes_equal(evaluation, Path((*left.nodes, one)), Path((*right.nodes, other)), mask)
        return equal
    if isinstance(left.node, Values) and isinstance(right.node, Values):
        return _objects_equal(evaluation, left, right)
    if left.schema.type in {Type.STRING, Type.BYTES}:
        found = series(records, left) == series(records, right)
        return cast("Mask", found.fill_null(value=False).to_numpy())
    try:
        one_vector, other_vector = gathered(records, left), gathered(records, right)
    except TypeError:
        evaluation.fail(
            mask, f"structs with {described(Opaque(f'a field of {left.schema.type}'))} can't be compared here"
        )
        return np.zeros(evaluation.n, np.bool_)
    return _vectors_equal(one_vector, other_vector)


def _objects_equal(evaluation: Evaluation, left: Path, right: Path) -> Mask:
    """Python's values, one by one: they are of records or types that are too rare to be columnar."""
    pairs = zip(evaluation.reading.objects(left), evaluation.reading.objects(right), strict=True)
    return np.array([one == other for one, other in pairs], np.bool_)


def _vectors_equal(left: Vector, right: Vector) -> Mask:
    if left.kind in {Kind.FLOAT32, Kind.FLOAT64}:
        return _same_floats(left.data.astype(np.float64), right.data.astype(np.float64))
    return as_mask(left.data == right.data)


def _same_floats(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> Mask:
    """As Java's: NaN equals itself, minus zero is not zero."""
    return as_mask(((left == right) & (np.signbit(left) == np.signbit(right))) | (np.isnan(left) & np.isnan(right)))
