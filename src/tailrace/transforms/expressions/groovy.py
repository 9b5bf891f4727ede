"""Groovy's semantics, as tried on Groovy 4.0.17 with Debezium's records.

`==` of null and something else is false, and in an order null is below everything. Numbers compare across types; a text of one
character beside a number counts as its code. In lists only equal types are equal: a BIGINT is never in `[1, 2]`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions import numbers
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.equality import bytes_equal, is_same, java_equal, struct_equal
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.groovy_methods import called
from tailrace.transforms.expressions.java_texts import java_texts
from tailrace.transforms.expressions.members import fail_of_null, fail_unknown, member_of, named, nobody
from tailrace.transforms.expressions.numbers import Signs
from tailrace.transforms.expressions.syntax import Call, Logical, Matches, Member, Not
from tailrace.transforms.expressions.texts import Texts, as_mask, length
from tailrace.transforms.expressions.values import (
    NULL,
    Booleans,
    Cases,
    FieldOf,
    Floats,
    Found,
    Headers,
    Integers,
    Null,
    Numbers,
    Opaque,
    SchemaOf,
    Structs,
    Value,
    described,
)

ORDERS: Final = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}
_NUMBERS: Final = (Integers, Floats, Decimals)


class GroovyEvaluation(Evaluation):
    """The evaluation of a program in Groovy."""

    undefined_value = NULL

    def check(self) -> None:
        """Nothing: it takes any record."""

    def truth(self, value: Value, mask: Mask) -> Mask:
        """Groovy truth: not null, not zero, not empty."""
        if isinstance(value, Booleans | Found):
            return value.data
        if isinstance(value, _NUMBERS):
            return ~numbers.is_zero(value)
        if isinstance(value, Texts):
            return value.tested(bool)
        if isinstance(value, Opaque):
            self.fail(mask, f"{described(value)} can only be compared with null")
        if isinstance(value, Headers):
            return self.reading.has_headers()
        return np.full(self.n, not isinstance(value, Null))

    def compared(self, operator: str, left: Value, right: Value, mask: Mask) -> Cases:
        """`==` asks whether values are equal; an order fails where there is none."""
        if operator in {"==", "!="}:
            equal = self._equal(left, right, mask)
            return self.booleans(equal if operator == "==" else ~equal, mask)
        signs = self._signs(left, right, mask)
        return self.booleans(np.isin(signs, ORDERS[operator]), mask)

    def _equal(self, left: Value, right: Value, mask: Mask) -> Mask:
        if isinstance(left, Null) or isinstance(right, Null):
            return np.full(self.n, isinstance(left, Null) and isinstance(right, Null))
        if isinstance(left, Texts) and isinstance(right, Texts):
            return left.equal(right)
        if isinstance(left, Structs) and isinstance(right, Structs):
            return struct_equal(self, left, right, mask)
        if isinstance(left, Opaque) and isinstance(right, Opaque) and (same := bytes_equal(left, right)) is not None:
            return same
        found = _ordered(left, right, self.n)
        if found is not None:
            signs, comparable = found
            return as_mask(comparable & (signs == 0))
        if type(left) is type(right) and not isinstance(left, _NUMBERS):
            self.fail(mask, f"{described(left)} can't be compared with {described(right)} here")
        return nobody(self.n)

    def _signs(self, left: Value, right: Value, mask: Mask) -> Signs:
        if isinstance(left, Null) or isinstance(right, Null):
            return np.full(self.n, int(isinstance(right, Null)) - int(isinstance(left, Null)), np.int8)
        if is_same(left, right):
            return np.zeros(self.n, np.int8)
        found = _ordered(left, right, self.n)
        signs, comparable = found or (np.zeros(self.n, np.int8), nobody(self.n))
        if not comparable.all():
            self.fail(mask & ~comparable, f"{described(left)} and {described(right)} have no order")
        return signs

    def added(self, left: Value, right: Value, mask: Mask) -> Cases:
        """Texts behind each other; null is the text `null`."""
        if not isinstance(left, Texts) and not (isinstance(right, Texts) and isinstance(left, (*_NUMBERS, Null))):
            self.fail(mask, f"+ only joins texts here, not {described(left)} and {described(right)}")
            return Cases()
        texts = [
            Texts.constant("null", self.n) if isinstance(each, Null) else numbers.text_of(each)
            for each in (left, right)
        ]
        if texts[0] is None or texts[1] is None:
            self.fail(mask, f"+ can't join {described(left)} and {described(right)} here")
            return Cases()
        return Cases([(mask, texts[0].joined(texts[1]))])

    def has_item(self, item: Value, other: Value, mask: Mask) -> Mask:
        """Java's equals()."""
        return java_equal(self, item, other, mask)

    def member(self, value: Value, node: Member, mask: Mask) -> Cases:
        """Fields of structs fail where there are none."""
        if isinstance(value, SchemaOf | FieldOf) and node.name == "name":
            return named(value, mask, self.n)
        if isinstance(value, FieldOf) and node.name == "schema":
            return Cases([(mask, SchemaOf(value.field.schema))])
        found = member_of(self, value, node, mask)
        if found is None:
            fail_unknown(self, value, node, mask)
            return Cases()
        return found

    def of_nothing(self, value: Value, node: Member | Call, mask: Mask) -> tuple[Cases, Mask]:
        """Null with `?.`; else an error, but for what null itself has."""
        if node.safe:
            if isinstance(node, Call):  # Groovy evaluates the arguments even so, and fails where they do
                for argument in node.arguments:
                    self.evaluate(argument, mask)
            return Cases([(mask & ~self.failed.mask, NULL)]), nobody(self.n)
        if isinstance(node, Call) and node.method in {"equals", "toString"}:
            return called(self, value, node, mask), nobody(self.n)
        fail_of_null(self, node, mask, "null")
        return Cases(), nobody(self.n)

    def called(self, value: Value, node: Call, mask: Mask) -> Cases:
        """Methods of texts, schemas and headers, equals() and toString() of all."""
        return called(self, value, node, mask)

    def logical(self, node: Logical, live: Mask) -> Cases:
        """True or false by Groovy truth."""
        true, untrue = self.truths(node.left, live)
        again, _ = self.truths(node.right, true if node.operator == "&&" else untrue)
        return self.booleans(again if node.operator == "&&" else true | again, live)

    def negated(self, node: Not, live: Mask) -> Cases:
        """The opposite of Groovy truth."""
        return self.booleans(~self.truths(node.operand, live)[0], live)

    def matched(self, node: Matches, value: Value, mask: Mask) -> Cases:
        """`==~` of the whole text, `=~` of a part; other values by their text.

        Null matches nothing with `==~`, and is searched as the text `null` with `=~`.
        """
        if isinstance(value, Null):
            texts: Texts | None = Texts.constant("null", self.n) if node.find else None
            if texts is None:
                return self.booleans(nobody(self.n), mask)
        else:
            texts = java_texts(self, value)
        if texts is None:
            self.fail(mask, f"{described(value)} has no text to match here")
            return Cases()
        if node.find:
            return Cases([(mask, Found(texts.tested(lambda text: node.pattern.search(text) is not None)))])
        return self.booleans(texts.tested(lambda text: node.pattern.fullmatch(text) is not None), mask)


def _ordered(left: Value, right: Value, n: int) -> tuple[Signs, Mask] | None:
    """The order of values, and for which records they have one; None if there is none."""
    every = np.ones(n, np.bool_)
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return numbers.signs(left, right), every
    if isinstance(left, Texts) and isinstance(right, _NUMBERS):
        return _beside_character(left, right)
    if isinstance(left, _NUMBERS) and isinstance(right, Texts):
        signs, comparable = _beside_character(right, left)
        return (-signs).astype(np.int8), comparable
    same = numbers.same_type_signs(left, right)
    return None if same is None else (same, every)


def _beside_character(texts: Texts, number: Numbers) -> tuple[Signs, Mask]:
    """The code of texts with one character beside numbers; other texts have no order."""
    codes = texts.integers(lambda text: ord(text) if length(text) == 1 else -1)
    return numbers.signs(Integers(codes), number), codes >= 0
