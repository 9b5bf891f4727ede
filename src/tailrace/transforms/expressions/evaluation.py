"""Evaluation of a tree over columns: what all languages have in common.

Each part is evaluated for the records that ask for it (`live`), and gives `Cases` for those of them that did not fail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.transforms.expressions import syntax
from tailrace.transforms.expressions.constants import constant
from tailrace.transforms.expressions.failed import Failed
from tailrace.transforms.expressions.ranges import in_range
from tailrace.transforms.expressions.reading import Reading
from tailrace.transforms.expressions.syntax import (
    Addition,
    Call,
    Comparison,
    Conditional,
    Group,
    Literal,
    Logical,
    Matches,
    Member,
    Name,
    Node,
    Not,
    Within,
    WithinRange,
)
from tailrace.transforms.expressions.values import (
    NOTHING,
    UNDEFINED,
    Booleans,
    Cases,
    Headers,
    Null,
    Undefined,
    Value,
)


class Evaluation(ABC):
    """The evaluation of one program over one `SourceRecords`."""

    undefined_value: Value = UNDEFINED

    def __init__(self, records: SourceRecords) -> None:
        self.n = len(records)
        self.reading = Reading(records)
        self.failed = Failed(np.zeros(self.n, np.bool_))
        self._evaluated: dict[type, Callable[..., Cases]] = {
            Literal: self._literal,
            syntax.Undefined: lambda _node, live: Cases([(live, UNDEFINED)]),
            Name: self._name,
            Group: lambda node, live: self.evaluate(node.inner, live),
            Member: self._member_or_call,
            Call: self._member_or_call,
            Conditional: self._conditional,
            Comparison: self._comparison,
            Addition: self._addition,
            Within: self._within,
            WithinRange: self._within_range,
            Matches: self._matches,
            Not: self.negated,
            Logical: self.logical,
            syntax.IsNull: self._is_null,
        }

    @abstractmethod
    def check(self) -> None:
        """Fail the records that the language can't be given at all."""

    def fail(self, records: Mask, why: str) -> None:
        """These records have failed."""
        new = records & ~self.failed.mask
        if new.any():
            self.failed.mask |= new
            self.failed.reasons.append((new, why))

    def evaluate(self, node: Node, live: Mask) -> Cases:
        """The values of a part, for the records that ask for it."""
        if not live.any():
            return Cases()
        return self._evaluated[type(node)](node, live)

    def truths(self, node: Node, live: Mask) -> tuple[Mask, Mask]:
        """For which records a condition is true, and for which it is not."""
        true, untrue = np.zeros(self.n, np.bool_), np.zeros(self.n, np.bool_)
        for mask, value in self.evaluate(node, live):
            truth = self.truth(value, mask)
            true |= mask & truth
            untrue |= mask & ~truth
        return true & ~self.failed.mask, untrue & ~self.failed.mask

    def booleans(self, data: Mask, live: Mask) -> Cases:
        """True or false for records."""
        return Cases([(live & ~self.failed.mask, Booleans(data))])

    # what languages differ in

    @abstractmethod
    def truth(self, value: Value, mask: Mask) -> Mask:
        """Whether a value counts as true in a condition, shape (n,)."""

    @abstractmethod
    def compared(self, operator: str, left: Value, right: Value, mask: Mask) -> Cases:
        """The comparison of two values, of the records in the mask."""

    @abstractmethod
    def added(self, left: Value, right: Value, mask: Mask) -> Cases:
        """The sum of two values."""

    @abstractmethod
    def has_item(self, item: Value, other: Value, mask: Mask) -> Mask:
        """Whether a list's item is the one that is looked for."""

    @abstractmethod
    def member(self, value: Value, node: Member, mask: Mask) -> Cases:
        """A field or property of a value that is not null."""

    @abstractmethod
    def called(self, value: Value, node: Call, mask: Mask) -> Cases:
        """A method of a value, which may be null."""

    @abstractmethod
    def logical(self, node: Logical, live: Mask) -> Cases:
        """`&&`, `||` and the like."""

    @abstractmethod
    def negated(self, node: Not, live: Mask) -> Cases:
        """Negation."""

    @abstractmethod
    def of_nothing(self, value: Value, node: Member | Call, mask: Mask) -> tuple[Cases, Mask]:
        """A member of a null; with the records whose chain ends there without a value."""

    @abstractmethod
    def matched(self, node: Matches, value: Value, mask: Mask) -> Cases:
        """A regular expression on a value."""

    # expressions

    def _literal(self, node: Literal, live: Mask) -> Cases:
        return Cases([(live, constant(node.value, node.bits, self.n))])

    def _name(self, node: Name, live: Mask) -> Cases:
        if node.name == "header":
            return Cases([(live, Headers())])
        return self.variable(node.name).within(live)

    def variable(self, name: str) -> Cases:
        """A variable but `header`."""
        return self.reading.variable(name)

    def _member_or_call(self, node: Member | Call, live: Mask) -> Cases:
        cases, ended = self._chain(node, live)
        return cases.joined(Cases([(ended, self.undefined_value)]))

    def _chain(self, node: Node, live: Mask) -> tuple[Cases, Mask]:
        """The values of a chain, and for which records `?.` ended it."""
        if not isinstance(node, Member | Call):
            return self.evaluate(node, live), np.zeros(self.n, np.bool_)
        before, ended = self._chain(node.of, live)
        found = []
        for mask, value in before:
            if isinstance(value, NOTHING):
                cases, ends = self.of_nothing(value, node, mask)
                ended = ended | ends
            elif isinstance(node, Member):
                cases = self.member(value, node, mask)
            else:
                cases = self.called(value, node, mask)
            found += list(cases)
        return Cases(found), ended

    def _conditional(self, node: Conditional, live: Mask) -> Cases:
        if node.then is None:
            return self._or_else(node, live)
        true, untrue = self.truths(node.test, live)
        return self.evaluate(node.then, true).joined(self.evaluate(node.other, untrue))

    def _or_else(self, node: Conditional, live: Mask) -> Cases:
        """The value itself where it is true."""
        kept, other = [], np.zeros(self.n, np.bool_)
        for mask, value in self.evaluate(node.test, live):
            truth = self.truth(value, mask)
            kept.append((mask & truth & ~self.failed.mask, value))
            other |= mask & ~truth
        return Cases(kept).joined(self.evaluate(node.other, other & ~self.failed.mask))

    def _pairs(self, left: Node, right: Node, live: Mask, join: Callable[[Value, Value, Mask], Cases]) -> Cases:
        """The join of both sides' values."""
        ones = self.evaluate(left, live)
        others = self.evaluate(right, live & ~self.failed.mask)
        found = []
        for mask, one in ones:
            for its_mask, other in others:
                both = mask & its_mask & ~self.failed.mask
                if both.any():
                    found += list(join(one, other, both))
        return Cases(found)

    def _comparison(self, node: Comparison, live: Mask) -> Cases:
        return self._pairs(node.left, node.right, live, lambda *pair: self.compared(node.operator, *pair))

    def _addition(self, node: Addition, live: Mask) -> Cases:
        return self._pairs(node.left, node.right, live, self.added)

    def _within(self, node: Within, live: Mask) -> Cases:
        found = np.zeros(self.n, np.bool_)
        asked = live
        for item in node.items:  # all items are evaluated, as lists are made before they are asked
            for mask, value in self._pairs(item, node.item, live, self._is_item):
                found |= mask & (value.data if isinstance(value, Booleans) else False)
        if not node.items:
            for _ in self.evaluate(node.item, live):
                pass
        return self.booleans(found != node.negated, asked)

    def _is_item(self, item: Value, other: Value, mask: Mask) -> Cases:
        return Cases([(mask, Booleans(self.has_item(item, other, mask)))])

    def _within_range(self, node: WithinRange, live: Mask) -> Cases:
        found = np.zeros(self.n, np.bool_)
        for mask, value in self.evaluate(node.item, live):
            found |= mask & in_range(value, node, self.n)
        return self.booleans(found != node.negated, live)

    def _matches(self, node: Matches, live: Mask) -> Cases:
        return Cases(case for mask, value in self.evaluate(node.text, live) for case in self.matched(node, value, mask))

    def _is_null(self, node: syntax.IsNull, live: Mask) -> Cases:
        found = np.zeros(self.n, np.bool_)
        for mask, value in self.evaluate(node.operand, live):
            found |= mask & isinstance(value, Null | Undefined)
        return self.booleans(found, live)
