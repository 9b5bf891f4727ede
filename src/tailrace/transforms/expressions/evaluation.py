"""Evaluation of a tree over columns: what all languages have in common.

Each part is evaluated for the records that ask for it (`live`), and gives `Cases` for those of them that did not fail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

import numpy as np

from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.transforms.expressions import syntax
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.reading import Reading
from tailrace.transforms.expressions.syntax import (
    Addition,
    Call,
    Comparison,
    Conditional,
    Group,
    If,
    Literal,
    Logical,
    Matches,
    Member,
    Name,
    Node,
    Not,
    Program,
    Return,
    Within,
    WithinRange,
)
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import (
    NOTHING,
    NULL,
    UNDEFINED,
    Booleans,
    Cases,
    Floats,
    Headers,
    Integers,
    Null,
    Undefined,
    Value,
)


@dataclass(slots=True)
class Failed:
    """Which records failed, and why.

    Attributes:
        mask: shape (n,).
        reasons: with the records of each.

    """

    mask: Mask
    reasons: list[tuple[Mask, str]] = field(default_factory=list)

    def first_reason(self) -> str:
        """What is wrong with the first record that failed."""
        return min(self.reasons, key=lambda reason: int(reason[0].argmax()))[1]


class Evaluation(ABC):
    """The evaluation of one program over one `SourceRecords`."""

    undefined_value: Value = UNDEFINED

    def __init__(self, records: SourceRecords) -> None:
        self.n = len(records)
        self.reading = Reading(records)
        self.failed = Failed(np.zeros(self.n, np.bool_))

    def result(self, program: Program) -> Cases:
        """What the program gives for each record that did not fail."""
        returned, last, _ = self._run(program, np.ones(self.n, np.bool_), is_last=True)
        return returned.joined(last).within(~self.failed.mask)

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
        return _EVALUATED[type(node)](self, node, live)

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

    def in_range(self, value: Value, node: WithinRange, mask: Mask) -> Mask:
        """Whether a range of whole numbers has a value."""
        del mask
        if isinstance(value, Integers) and value.bits == node.bits:
            return (value.data >= node.first) & (value.data <= node.last)
        return np.zeros(self.n, np.bool_)

    @abstractmethod
    def matched(self, node: Matches, value: Value, mask: Mask) -> Cases:
        """A regular expression on a value."""

    # statements

    def _run(self, program: Program, live: Mask, *, is_last: bool) -> tuple[Cases, Cases, Mask]:
        """What is returned; what the last statement gives where it is reached; which records go on behind the program."""
        returned, last = Cases(), Cases()
        if not program and is_last:
            last = Cases([(live, NULL)])
        for place, statement in enumerate(program):
            ends = is_last and place == len(program) - 1
            if isinstance(statement, If):
                given, last, live = self._run_if(statement, live, is_last=ends)
                returned = returned.joined(given)
            elif isinstance(statement, Return):
                returned = returned.joined(self.evaluate(statement.expression, live))
                live = np.zeros(self.n, np.bool_)
            else:
                found = self.evaluate(statement.expression, live)
                last = found if ends else Cases()
                live = live & ~self.failed.mask
        return returned, last, live

    def _run_if(self, statement: If, live: Mask, *, is_last: bool) -> tuple[Cases, Cases, Mask]:
        true, untrue = self.truths(statement.test, live)
        one, one_last, one_live = self._run(statement.then, true, is_last=is_last)
        two, two_last, two_live = self._run(statement.other, untrue, is_last=is_last)
        return one.joined(two), one_last.joined(two_last), one_live | two_live

    # expressions

    def _literal(self, node: Literal, live: Mask) -> Cases:
        return Cases([(live, constant(node.value, node.bits, self.n))])

    def _undefined(self, _node: syntax.Undefined, live: Mask) -> Cases:
        return Cases([(live, UNDEFINED)])

    def _name(self, node: Name, live: Mask) -> Cases:
        if node.name == "header":
            return Cases([(live, Headers())])
        return self.variable(node.name).within(live)

    def variable(self, name: str) -> Cases:
        """A variable but `header`."""
        return self.reading.variable(name)

    def _group(self, node: Group, live: Mask) -> Cases:
        return self.evaluate(node.inner, live)

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
            found |= mask & self.in_range(value, node, mask)
        return self.booleans(found != node.negated, live)

    def _matches(self, node: Matches, live: Mask) -> Cases:
        return Cases(case for mask, value in self.evaluate(node.text, live) for case in self.matched(node, value, mask))

    def is_null(self, node: Node, live: Mask) -> Cases:
        """SQL's IS NULL."""
        found = np.zeros(self.n, np.bool_)
        for mask, value in self.evaluate(node, live):
            found |= mask & isinstance(value, Null | Undefined)
        return self.booleans(found, live)


def constant(value: syntax.Constant, bits: int, n: int) -> Value:
    """A literal as a value of n records."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return Booleans(np.full(n, value))
    if isinstance(value, int):
        return Integers(np.full(n, value, np.int64), bits)
    if isinstance(value, float):
        return Floats(np.full(n, np.float32(value) if bits == 32 else value, np.float64), bits)
    if isinstance(value, Decimal):
        return Decimals.constant(value, n)
    return Texts.constant(value, n)


_EVALUATED: Final[dict[type, Callable[..., Cases]]] = {
    Literal: Evaluation._literal,
    syntax.Undefined: Evaluation._undefined,
    Name: Evaluation._name,
    Group: Evaluation._group,
    Member: Evaluation._member_or_call,
    Call: Evaluation._member_or_call,
    Conditional: Evaluation._conditional,
    Comparison: Evaluation._comparison,
    Addition: Evaluation._addition,
    Within: Evaluation._within,
    WithinRange: Evaluation._within_range,
    Matches: Evaluation._matches,
    Not: lambda evaluation, node, live: evaluation.negated(node, live),
    Logical: lambda evaluation, node, live: evaluation.logical(node, live),
    syntax.IsNull: lambda evaluation, node, live: evaluation.is_null(node.operand, live),
}
