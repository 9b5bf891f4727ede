"""The text of values as Java's `toString` makes it."""

from __future__ import annotations

from tailrace.errors import UnsupportedError
from tailrace.transforms.expressions import numbers
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import Structs, Value


def java_texts(evaluation: Evaluation, value: Value) -> Texts | None:
    """Values as text; None for those whose text is not known here, such as structs with a list in them."""
    if not isinstance(value, Structs):
        return numbers.text_of(value)
    from tailrace.encoding.strings import texts_of  # as much as the converter, for what hardly anybody asks

    try:
        return Texts(texts_of(evaluation.reading.records, value.path))
    except UnsupportedError:
        return None
