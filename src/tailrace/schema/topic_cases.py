"""How words of a topic's name are put together: `my-topic`, `my_topic`, `myTopic`, `MyTopic`, `MY_TOPIC`.

The names of these forms are those of Guava's `CaseFormat`; letters are ASCII, others stay as they are.
Source: Guava's documentation of `CaseFormat`.
"""

from __future__ import annotations

import re
import string
from typing import Final

LOWER_HYPHEN, LOWER_UNDERSCORE, LOWER_CAMEL = "LOWER_HYPHEN", "LOWER_UNDERSCORE", "LOWER_CAMEL"
UPPER_CAMEL, UPPER_UNDERSCORE = "UPPER_CAMEL", "UPPER_UNDERSCORE"
TOPIC_CASES: Final = (LOWER_HYPHEN, LOWER_UNDERSCORE, LOWER_CAMEL, UPPER_CAMEL, UPPER_UNDERSCORE)
_SEPARATORS: Final = {LOWER_HYPHEN: "-", LOWER_UNDERSCORE: "_", UPPER_UNDERSCORE: "_"}
_TO_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_TO_UPPER: Final = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_WORD_BEFORE: Final = re.compile(r"(?<=.)(?=[A-Z])", re.DOTALL)  # the first letter begins no second word


def recased(topic: str, before: str, after: str) -> str:
    """A topic's name in the form `after`, read as one in the form `before`."""
    if before == after:
        return topic
    if {before, after} == {LOWER_HYPHEN, LOWER_UNDERSCORE}:  # Guava leaves letters alone then
        return topic.replace(_SEPARATORS[before], _SEPARATORS[after])
    separator = _SEPARATORS.get(before)
    words = _WORD_BEFORE.split(topic) if separator is None else topic.split(separator)
    made = [_word(word, after, first=place == 0) for place, word in enumerate(words)]
    return _SEPARATORS.get(after, "").join(made)


def _word(word: str, case: str, *, first: bool) -> str:
    if case == UPPER_UNDERSCORE:
        return word.translate(_TO_UPPER)
    lower = word.translate(_TO_LOWER)
    if case in _SEPARATORS or (case == LOWER_CAMEL and first):
        return lower
    return word[:1].translate(_TO_UPPER) + lower[1:]
