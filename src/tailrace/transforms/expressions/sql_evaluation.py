"""SQL's semantics: three truths. A comparison with NULL is neither true nor false, and a field of NULL is NULL."""

from __future__ import annotations

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions import numbers
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.groovy import ORDERS
from tailrace.transforms.expressions.groovy_methods import called
from tailrace.transforms.expressions.members import fail_unknown, member_of, nobody
from tailrace.transforms.expressions.syntax import Call, Logical, Matches, Member, Node, Not, Within
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import (
    NOTHING,
    NULL,
    Booleans,
    Cases,
    Floats,
    Integers,
    Value,
    described,
)

_NUMBERS = (Integers, Floats, Decimals)


class SqlEvaluation(Evaluation):
    """The evaluation of an SQL condition."""

    undefined_value = NULL

    def check(self) -> None:
        """Nothing: it takes any record."""

    def truth(self, value: Value, mask: Mask) -> Mask:
        """Whether a condition is true; NULL is not."""
        if isinstance(value, Booleans):
            return value.data
        if not isinstance(value, NOTHING):
            self.fail(mask, f"{described(value)} stands where a condition is asked for")
        return nobody(self.n)

    def compared(self, operator: str, left: Value, right: Value, mask: Mask) -> Cases:
        """NULL beside NULL or anything else; else values of one type."""
        if isinstance(left, NOTHING) or isinstance(right, NOTHING):
            return Cases([(mask, NULL)])
        if isinstance(left, Texts) and isinstance(right, Texts) and operator in {"==", "!="}:
            equal = left.equal(right)
            return self.booleans(equal if operator == "==" else ~equal, mask)
        signs = None
        if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
            signs = numbers.signs(left, right)
        signs = numbers.same_type_signs(left, right) if signs is None else signs
        if signs is None:
            self.fail(mask, f"{described(left)} can't be compared with {described(right)}")
            return Cases()
        wanted = {"==": (0,), "!=": (-1, 1), **ORDERS}[operator]
        return self.booleans(np.isin(signs, wanted), mask)

    def added(self, left: Value, right: Value, mask: Mask) -> Cases:
        """Texts behind each other; NULL if one is."""
        if isinstance(left, NOTHING) or isinstance(right, NOTHING):
            return Cases([(mask, NULL)])
        one, other = numbers.text_of(left), numbers.text_of(right)
        if one is None or other is None:
            self.fail(mask, f"|| can't join {described(left)} and {described(right)}")
            return Cases()
        return Cases([(mask, one.joined(other))])

    def has_item(self, item: Value, other: Value, mask: Mask) -> Mask:
        """As `=`."""
        found = nobody(self.n)
        for its_mask, value in self.compared("==", item, other, mask):
            found |= its_mask & (value.data if isinstance(value, Booleans) else nobody(self.n))
        return found

    def _within(self, node: Within, live: Mask) -> Cases:
        """Unknown where no item is equal and one is NULL."""
        found, unknown = nobody(self.n), nobody(self.n)
        for item in node.items:
            for mask, value in self._pairs(item, node.item, live, lambda *pair: self.compared("==", *pair)):
                if isinstance(value, Booleans):
                    found |= mask & value.data
                else:
                    unknown |= mask
        known = live & (found | ~unknown)
        return self.booleans(found != node.negated, known).joined(self._unknown(live & ~known))

    def member(self, value: Value, node: Member, mask: Mask) -> Cases:
        """A field; it fails where there is none of that name."""
        found = member_of(self, value, node, mask)
        if found is None:
            fail_unknown(self, value, node, mask)
            return Cases()
        return found

    def of_nothing(self, value: Value, node: Member | Call, mask: Mask) -> tuple[Cases, Mask]:
        """NULL."""
        del value, node
        return Cases([(mask, NULL)]), nobody(self.n)

    def called(self, value: Value, node: Call, mask: Mask) -> Cases:
        """LOWER, UPPER, TRIM, LENGTH of texts."""
        return called(self, value, node, mask)

    def logical(self, node: Logical, live: Mask) -> Cases:
        """AND and OR of three truths, COALESCE; the right side counts only where the left does not decide."""
        if node.operator == "??":
            return self._coalesced(node, live)
        true, false, unknown = self._three(node.left, live)
        decided, other = (false, true) if node.operator == "&&" else (true, false)
        again_true, again_false, again_unknown = self._three(node.right, other | unknown)
        if node.operator == "&&":
            is_false = decided | again_false
            is_true = other & again_true
        else:
            is_true = decided | again_true
            is_false = other & again_false
        undecided = (unknown & ~is_true & ~is_false) | again_unknown
        return self.booleans(is_true, is_true | is_false).joined(self._unknown(undecided))

    def _coalesced(self, node: Logical, live: Mask) -> Cases:
        first = self.evaluate(node.left, live)
        kept = Cases(case for case in first if not isinstance(case[1], NOTHING))
        null = nobody(self.n)
        for mask, value in first:
            null |= mask & isinstance(value, NOTHING)
        return kept.joined(self.evaluate(node.right, null))

    def _three(self, node: Node, live: Mask) -> tuple[Mask, Mask, Mask]:
        """For which records a condition is true, false, and neither."""
        true, false, unknown = nobody(self.n), nobody(self.n), nobody(self.n)
        for mask, value in self.evaluate(node, live):
            truth = self.truth(value, mask)
            true |= mask & truth
            if isinstance(value, NOTHING):
                unknown |= mask
            else:
                false |= mask & ~truth
        good = ~self.failed.mask
        return true & good, false & good, unknown & good

    def negated(self, node: Not, live: Mask) -> Cases:
        """NOT of NULL is NULL."""
        true, false, unknown = self._three(node.operand, live)
        return self.booleans(false, true | false).joined(self._unknown(unknown))

    def _unknown(self, mask: Mask) -> Cases:
        return Cases([(mask & ~self.failed.mask, NULL)])

    def matched(self, node: Matches, value: Value, mask: Mask) -> Cases:
        """LIKE of a text."""
        if isinstance(value, NOTHING):
            return Cases([(mask, NULL)])
        if not isinstance(value, Texts):
            self.fail(mask, f"LIKE takes a text, not {described(value)}")
            return Cases()
        return self.booleans(value.tested(lambda text: node.pattern.fullmatch(text) is not None), mask)
