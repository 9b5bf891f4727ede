"""JavaScript's semantics, as tried on GraalJS 25 with Debezium's records.

A field that is not there is undefined, not an error. A Decimal is an object: beside a number it counts by its text, and it is
never `===` a number. Beside an int64 of a column, which is an object too, it is neither equal nor less nor more.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions import numbers
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.groovy import ORDERS
from tailrace.transforms.expressions.javascript_methods import called
from tailrace.transforms.expressions.javascript_values import number_of, text_of, whole_of
from tailrace.transforms.expressions.members import fail_of_null, member_of, nobody
from tailrace.transforms.expressions.numbers import Signs
from tailrace.transforms.expressions.syntax import Call, Logical, Matches, Member, Not
from tailrace.transforms.expressions.texts import Texts, as_mask, length
from tailrace.transforms.expressions.values import (
    NOTHING,
    UNDEFINED,
    Booleans,
    Cases,
    FieldOf,
    Floats,
    Headers,
    Instants,
    Integers,
    Null,
    Opaque,
    PythonStructs,
    SchemaOf,
    Structs,
    Value,
    described,
)

_PRIMITIVE: Final = (Booleans, Integers, Floats, Texts)
_OBJECTS: Final = (Structs, PythonStructs, SchemaOf, FieldOf, Headers)
_UNORDERED: Final = 2


class JavaScriptEvaluation(Evaluation):
    """The evaluation of a program in JavaScript."""

    def check(self) -> None:
        """Debezium gives key and value to JavaScript only if they are structs."""
        for name in ("key", "value"):
            for mask, value in self.reading.variable(name):
                if not isinstance(value, (*NOTHING, Structs, PythonStructs)):
                    self.fail(
                        mask, f"the {name} is {described(value)} and no struct: Debezium fails on it with JavaScript"
                    )

    def variable(self, name: str) -> Cases:
        """A variable; a key or value that is null is an object that can't be asked for anything."""
        found = super().variable(name)
        if name not in {"key", "value"}:
            return found
        return Cases((mask, Opaque(f"a {name} of null") if isinstance(value, Null) else value) for mask, value in found)

    def truth(self, value: Value, mask: Mask) -> Mask:
        """What is not null, undefined, false, zero, NaN or an empty text."""
        if isinstance(value, Booleans):
            return value.data
        if isinstance(value, Integers):
            return as_mask(value.data != 0)
        if isinstance(value, Floats):
            return as_mask((value.data != 0) & ~np.isnan(value.data))
        if isinstance(value, Texts):
            return value.tested(bool)
        del mask
        return np.full(self.n, not isinstance(value, NOTHING))

    def compared(self, operator: str, left: Value, right: Value, mask: Mask) -> Cases:
        """`===` without conversions, `==` with them, an order by numbers unless both are texts."""
        if operator in {"===", "!=="}:
            equal = self._identical(left, right, mask)
        elif operator in {"==", "!="}:
            equal = self._equal(left, right, mask)
        else:
            return self.booleans(np.isin(self._signs(left, right, mask), ORDERS[operator]), mask)
        return self.booleans(~equal if operator.startswith("!") else equal, mask)

    def _identical(self, left: Value, right: Value, mask: Mask) -> Mask:
        if isinstance(left, NOTHING) or isinstance(right, NOTHING):
            return np.full(self.n, type(left) is type(right))
        if isinstance(left, Integers | Floats) and isinstance(right, Integers | Floats):
            return as_mask(self._primitive_signs(left, right) == 0)
        if type(left) is type(right):
            return self._equal(left, right, mask)
        return nobody(self.n)

    def _equal(self, left: Value, right: Value, mask: Mask) -> Mask:
        if isinstance(left, NOTHING) or isinstance(right, NOTHING):
            return np.full(self.n, isinstance(left, NOTHING) and isinstance(right, NOTHING))
        if _is_decimal_beside_long(left, right):
            return nobody(self.n)
        if isinstance(left, Decimals) is not isinstance(right, Decimals):
            left, right = (
                numbers.text_of(each) or each if isinstance(each, Decimals) else each for each in (left, right)
            )
        if isinstance(left, Texts) and isinstance(right, Texts):
            return left.equal(right)
        if isinstance(left, _PRIMITIVE) and isinstance(right, _PRIMITIVE):
            return as_mask(self._primitive_signs(left, right) == 0)
        if isinstance(left, Structs | PythonStructs) and isinstance(right, Structs | PythonStructs):
            return nobody(self.n)  # JavaScript gets another object each time
        if not _never_equal(left, right):
            self._refuse(left, right, mask)
        return nobody(self.n)

    def _signs(self, left: Value, right: Value, mask: Mask) -> Signs:
        if _is_decimal_beside_long(left, right):
            return np.full(self.n, _UNORDERED, np.int8)
        if {type(left), type(right)} == {Decimals, Texts}:  # an object beside a text counts by its text
            left, right = (numbers.text_of(each) or each for each in (left, right))
        if isinstance(left, Texts) and isinstance(right, Texts):
            return left.signs(right)
        both = isinstance(left, Decimals) and isinstance(right, Decimals)
        if both or isinstance(left, Opaque) or isinstance(right, Opaque):
            self._refuse(left, right, mask)
            return np.full(self.n, _UNORDERED, np.int8)
        return self._primitive_signs(left, right)

    def _primitive_signs(self, left: Value, right: Value) -> Signs:
        whole, other_whole = whole_of(left, self.n), whole_of(right, self.n)
        if whole is not None and other_whole is not None:
            return numbers.of_arrays(whole, other_whole)
        one, other = number_of(left, self.n), number_of(right, self.n)
        if one is None or other is None:  # an object's text is no number
            return np.full(self.n, _UNORDERED, np.int8)
        unordered = np.isnan(one) | np.isnan(other)
        return np.where(unordered, _UNORDERED, numbers.of_arrays(one, other)).astype(np.int8)

    def _refuse(self, left: Value, right: Value, mask: Mask) -> None:
        self.fail(mask, f"{described(left)} can't be compared with {described(right)} here")

    def added(self, left: Value, right: Value, mask: Mask) -> Cases:
        """Texts behind each other; numbers are not added here."""
        joined = (Texts, Decimals)
        texts = [text_of(each, self.n) for each in (left, right)]
        if not (isinstance(left, joined) or isinstance(right, joined)) or texts[0] is None or texts[1] is None:
            self.fail(mask, f"+ only joins texts here, not {described(left)} and {described(right)}")
            return Cases()
        return Cases([(mask, texts[0].joined(texts[1]))])

    def has_item(self, item: Value, other: Value, mask: Mask) -> Mask:
        """As `===`, but that NaN is found."""
        found = self._identical(item, other, mask)
        if isinstance(item, Floats) and isinstance(other, Floats):
            found = found | (np.isnan(item.data) & np.isnan(other.data))
        return found

    def member(self, value: Value, node: Member, mask: Mask) -> Cases:
        """Fields; undefined where there are none."""
        if isinstance(value, Texts) and node.name == "length":
            return Cases([(mask, Integers(value.integers(length)))])
        if isinstance(value, Opaque | Decimals | Instants | SchemaOf | FieldOf):
            self.fail(mask, f"{described(value)} has no field {node.name}")
            return Cases()
        found = member_of(self, value, node, mask)
        if found is None:
            return Cases([(mask, UNDEFINED)])
        if isinstance(value, Headers):
            return Cases((its_mask, UNDEFINED if isinstance(each, Null) else each) for its_mask, each in found)
        return found

    def of_nothing(self, value: Value, node: Member | Call, mask: Mask) -> tuple[Cases, Mask]:
        """`?.` ends the chain; else an error."""
        if node.safe:
            return Cases(), mask
        fail_of_null(self, node, mask, described(value))
        return Cases(), nobody(self.n)

    def called(self, value: Value, node: Call, mask: Mask) -> Cases:
        """Methods of texts and schemas."""
        return called(self, value, node, mask)

    def logical(self, node: Logical, live: Mask) -> Cases:
        """The side that decides."""
        kept, asked = [], nobody(self.n)
        for mask, value in self.evaluate(node.left, live):
            if node.operator == "??":
                decides = np.full(self.n, not isinstance(value, NOTHING))
            else:
                truth = self.truth(value, mask)
                decides = ~truth if node.operator == "&&" else truth
            kept.append((mask & decides, value))
            asked |= mask & ~decides
        return Cases(kept).joined(self.evaluate(node.right, asked))

    def negated(self, node: Not, live: Mask) -> Cases:
        """The opposite of truth."""
        return self.booleans(~self.truths(node.operand, live)[0], live)

    def matched(self, node: Matches, value: Value, mask: Mask) -> Cases:
        """test() of a regular expression, on the text of any value."""
        texts = text_of(value, self.n)
        if texts is None:
            self.fail(mask, f"{described(value)} has no text to test here")
            return Cases()
        return self.booleans(texts.tested(lambda text: node.pattern.search(text) is not None), mask)


def _is_decimal_beside_long(left: Value, right: Value) -> bool:
    """Whether a Decimal is compared with one of Java's longs: GraalJS finds neither equality nor an order between these two."""
    pairs = ((left, right), (right, left))
    return any(isinstance(one, Decimals) and isinstance(other, Integers) and other.bits == 64 for one, other in pairs)


def _never_equal(left: Value, right: Value) -> bool:
    """Whether an object and something else are certainly different: a number, a truth, an object of another kind."""
    pairs = ((left, right), (right, left))
    if any(
        isinstance(one, (*_OBJECTS, Instants)) and isinstance(other, Booleans | Integers | Floats)
        for one, other in pairs
    ):
        return True
    return isinstance(left, _OBJECTS) and isinstance(right, _OBJECTS) and type(left) is not type(right)
