"""Methods that an expression in JavaScript may call: those of texts, and of Connect's schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.javascript_values import SPACES, text_of
from tailrace.transforms.expressions.members import fail_unknown, schema_call
from tailrace.transforms.expressions.spelling import spelt
from tailrace.transforms.expressions.syntax import Call
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import NULL, Cases, Opaque, Value, described

_TESTS: Final[dict[str, Callable[[str, str], bool]]] = {
    "startsWith": lambda text, other: text.startswith(other),
    "endsWith": lambda text, other: text.endswith(other),
    "includes": lambda text, other: other in text,
}
_CHANGES: Final[dict[str, Callable[[str], str]]] = {
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": lambda text: text.strip(SPACES),
}


def called(evaluation: Evaluation, value: Value, node: Call, mask: Mask) -> Cases:
    """What a method gives of a value that is not null."""
    found: Cases | None = None
    if node.method == "toString":
        text = text_of(value, evaluation.n)
        found = None if text is None else Cases([(mask, text)])
    elif isinstance(value, Texts):
        found = _of_text(evaluation, value, node, mask)
    else:
        found = schema_call(value, node, mask, evaluation.n)
    if found is None:
        fail_unknown(evaluation, value, node, mask)
        return Cases()
    return found


def _of_text(evaluation: Evaluation, value: Texts, node: Call, mask: Mask) -> Cases | None:
    pattern = node.pattern
    if pattern is not None:
        matched = value.tested(lambda text: pattern.search(text) is not None)
        return Cases([(mask & matched, Opaque("what match() found")), (mask & ~matched, NULL)])
    if node.method in _CHANGES:
        return Cases([(mask, value.mapped(_CHANGES[node.method]))])
    if node.method not in _TESTS:
        return None
    found = np.zeros(evaluation.n, np.bool_)
    for its_mask, argument in evaluation.evaluate(node.arguments[0], mask):
        text = text_of(argument, evaluation.n)
        if text is None:
            evaluation.fail(its_mask, f"{spelt(node.of)}.{node.method}() takes a text, not {described(argument)}")
        else:
            found |= its_mask & value.test_pairs(text, _TESTS[node.method])
    return evaluation.booleans(found, mask)
