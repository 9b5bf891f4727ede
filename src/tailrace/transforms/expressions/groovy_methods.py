"""Methods that an expression in Groovy may call: those of Java's String, of Connect's schemas, of the map of headers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions.equality import java_equal
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.java_texts import java_texts
from tailrace.transforms.expressions.members import fail_unknown, schema_call
from tailrace.transforms.expressions.spelling import spelt
from tailrace.transforms.expressions.syntax import Call, Literal
from tailrace.transforms.expressions.texts import Texts, length
from tailrace.transforms.expressions.values import (
    NOTHING,
    Booleans,
    Cases,
    Headers,
    Integers,
    Value,
    described,
)

_TESTS: Final[dict[str, Callable[[str, str], bool]]] = {
    "startsWith": lambda text, other: text.startswith(other),
    "endsWith": lambda text, other: text.endswith(other),
    "contains": lambda text, other: other in text,
    "equalsIgnoreCase": lambda text, other: _folded(text) == _folded(other),
}
_CHANGES: Final[dict[str, Callable[[str], str]]] = {
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": lambda text: text.strip("".join(map(chr, range(33)))),
}


def called(evaluation: Evaluation, value: Value, node: Call, mask: Mask) -> Cases:
    """What a method gives; of null only equals() and toString() do."""
    found: Cases | None = None
    if node.method == "equals":
        return _equals(evaluation, value, node, mask)
    if node.method == "toString":
        found = _to_string(evaluation, value, mask)
    elif isinstance(value, Texts):
        found = _of_text(evaluation, value, node, mask)
    elif isinstance(value, Headers):
        found = _of_headers(evaluation, node, mask)
    else:
        found = schema_call(value, node, mask, evaluation.n)
    if found is None:
        fail_unknown(evaluation, value, node, mask)
        return Cases()
    return found


def _equals(evaluation: Evaluation, value: Value, node: Call, mask: Mask) -> Cases:
    found = np.zeros(evaluation.n, np.bool_)
    for its_mask, argument in evaluation.evaluate(node.arguments[0], mask):
        found |= its_mask & java_equal(evaluation, value, argument, its_mask)
    return evaluation.booleans(found, mask)


def _to_string(evaluation: Evaluation, value: Value, mask: Mask) -> Cases | None:
    text = Texts.constant("null", evaluation.n) if isinstance(value, NOTHING) else java_texts(evaluation, value)
    return None if text is None else Cases([(mask, text)])


def _of_text(evaluation: Evaluation, value: Texts, node: Call, mask: Mask) -> Cases | None:
    pattern = node.pattern
    if pattern is not None:
        return evaluation.booleans(value.tested(lambda text: pattern.fullmatch(text) is not None), mask)
    if node.method in {"size", "length"}:
        return Cases([(mask, Integers(value.integers(length), 32))])
    if node.method == "isEmpty":
        return evaluation.booleans(value.tested(lambda text: not text), mask)
    if node.method in _CHANGES:
        return Cases([(mask, value.mapped(_CHANGES[node.method]))])
    return _of_two_texts(evaluation, value, node, mask) if node.method in _TESTS else None


def _of_two_texts(evaluation: Evaluation, value: Texts, node: Call, mask: Mask) -> Cases:
    found = np.zeros(evaluation.n, np.bool_)
    for its_mask, argument in evaluation.evaluate(node.arguments[0], mask):
        if isinstance(argument, Texts):
            found |= its_mask & value.test_pairs(argument, _TESTS[node.method])
        elif not (node.method == "equalsIgnoreCase" and isinstance(argument, NOTHING)):
            evaluation.fail(its_mask, f"{spelt(node.of)}.{node.method}() takes a text, not {described(argument)}")
    return evaluation.booleans(found, mask)


def _of_headers(evaluation: Evaluation, node: Call, mask: Mask) -> Cases | None:
    if node.method == "isEmpty":
        return evaluation.booleans(~evaluation.reading.has_headers(), mask)
    if node.method != "containsKey":
        return None
    (name,) = node.arguments
    found = np.zeros(evaluation.n, np.bool_)
    for its_mask, value in evaluation.reading.headers(str(name.value if isinstance(name, Literal) else "")):
        found |= its_mask & (not isinstance(value, NOTHING))
    return Cases([(mask, Booleans(found))])


def _folded(text: str) -> str:
    """A text as equalsIgnoreCase() compares it: each character for itself."""
    return "".join(one if len(one := character.upper()) == 1 else character for character in text).lower()
