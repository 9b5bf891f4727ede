"""Every difference that is known and stays: where it shows, and the entry of `docs/reference/differences.md`
that explains it.

An entry is as narrow as it can be: a topic, a field, and the values where they are constant. A difference that shows
nowhere any more fails the suite, as does one that the page does not explain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.differential.compare import Difference


@dataclass(frozen=True)
class Known:
    """A difference that stays: patterns over its topic and path, and the heading that explains it."""

    heading: str
    topic: str
    path: str
    variant: str = r".*"
    when: Callable[[Any, Any], bool] | None = None  # of Debezium's value and ours

    def explains(self, variant: str, difference: Difference) -> bool:
        """Is it this one?"""
        return (
            re.fullmatch(self.variant, variant) is not None
            and re.fullmatch(self.topic, difference.topic) is not None
            and re.fullmatch(self.path, difference.path) is not None
            and (self.when is None or self.when(difference.debezium, difference.tailrace))
        )


def same_float(debezium: Any, tailrace: Any) -> bool:
    return bool(np.float32(debezium) == np.float32(tailrace))


def _lost(debezium: Any, tailrace: Any) -> bool:
    """Debezium has a replacement character, and tailrace none."""
    return "\ufffd" in debezium and "\ufffd" not in tailrace


def _is_more_than_0(debezium: Any, tailrace: Any) -> bool:
    """Debezium says no, and tailrace yes."""
    return not debezium and bool(tailrace)


_FALLBACKS = (None, 0, 946684799000, 946684799000000, "1999-12-31T23:02:03.45Z")  # of the variants with zero dates
_CONVERTERS = r"custom converter: (booleans|types for the JDBC sink.*)"
_JDBC_SINK = r"custom converter: types for the JDBC sink.*"
_CHARACTER_SET = r"(key|value)\.schema\.(fields\[\d+\]\.)*parameters(\.__debezium\.source\.column\.character_set)?"
_CHANGES = r"dbz"
_VALUE = r"value(\.payload)?"
_TABLE = _VALUE + r"\.tableChanges\[0\]\.table"
_IMAGE = _VALUE + r"\.(before|after)"
KNOWN: tuple[Known, ...] = (
    Known("The row and thread of a statement", _CHANGES, _VALUE + r"\.source\.(row|thread)"),
    Known("The row and thread of a statement", r"dbz[._]d_keys[._]trunc_[ab]", _VALUE + r"\.source\.(row|thread)"),
    Known("ALTER TABLE with a default character set", _CHANGES, _TABLE + r"\.defaultCharsetName"),
    Known(
        "ALTER TABLE with a default character set",
        _CHANGES,
        _TABLE + r"\.columns\[(3|10|11|12)\]\.charsetName",
    ),
    Known("ALTER TABLE with a default character set", r"dbz[._]d_ddl[._]t", _IMAGE + r"\.(j|k)", when=_lost),
    Known("CHAR with the attribute BYTE", r"dbz[._]d_types[._]binaries", _IMAGE + r"\.cbyte", when=_lost),
    Known("Bytes that windows-1252 does not use", r"dbz[._]d_types[._]charsets", _IMAGE + r"\.l1", when=_lost),
    Known("A comma or a backslash in an ENUM's label", r"dbz[._]d_types[._]enums", _IMAGE + r"\.es"),
    Known("The digits of a FLOAT", r"dbz[._]d_types[._]floats", _IMAGE + r"\.(f|fu|r)", when=same_float),
    Known("A negative TIME within JSON", r"dbz[._]d_types[._]json_negative_time", _IMAGE + r"\.j"),
    Known(
        "Truncation in the middle of a character",
        r"dbz[._]d_defaults[._]policies",
        _IMAGE + r"\.cut",
        r"column policies.*|custom converter: types for the JDBC sink",
    ),
    Known("Converted numbers without a sign", r"dbz\.d_types\.ints", _IMAGE + r"\.tiu?1?u", _CONVERTERS, when=_is_more_than_0),
    Known("The character set of what has none", r"dbz\.d_(types|defaults)\..*", _CHARACTER_SET, _JDBC_SINK),
    Known("The digits of a FLOAT", r"dbz\.d_types\.decimals", _IMAGE + r"\.n", _JDBC_SINK, when=same_float),
    Known(
        "The first row behind ZeroDateFallbackConverter",
        r"dbz\.(d_types\.(dates|generated_columns)|d_defaults\.(policies|times))",
        _IMAGE + r"\.(dt?[1-6]?|ts[1-6]?|date_masked|dno|dte)",
        r"custom converter: zero dates.*",
        when=lambda debezium, _: debezium in _FALLBACKS,
    ),
)


def split(
    variant: str, differences: Iterable[Difference], known_ones: Iterable[Known] | None = None
) -> tuple[list[Difference], dict[Known, int]]:
    """The differences that nothing explains, and how often each known one showed; of a stream, if none are given."""
    unexplained: list[Difference] = []
    counts: dict[Known, int] = {}
    of_all = KNOWN if known_ones is None else tuple(known_ones)
    for difference in differences:
        known = next((k for k in of_all if k.explains(variant, difference)), None)
        if known is None:
            unexplained.append(difference)
        else:
            counts[known] = counts.get(known, 0) + 1
    return unexplained, counts
