"""Whole rows as they are stored: they identify the rows of a table without a key.

Types that a key may have are read as in `keys.py`. The others are geometries and
vectors, whose bytes are the same in both forms, and JSON, which a SELECT returns as text and the log has in binary
form. Both JSON texts are normalised: the server's has times with six digits and names the type of values that JSON has
no type for, the stream's is Debezium's. A number is compared by value, so that 1 and 1.0 are equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.selecting.keys import raw_key_plan

_BYTES: Final = frozenset({Storage.GEOMETRY, Storage.VECTOR})
_ZERO_JSON: Final = "null"  # what the server shows for a document of no bytes
_WHOLE: Final = 1 << 64  # numbers from there on are doubles, or decimals that are compared as such
_OPAQUE: Final = re.compile(r"base64:type\d+:")
_FRACTION: Final = re.compile(r"(.*\d\d:\d\d:\d\d)\.(\d{1,6})")


def raw_row_plan(plan: ColumnPlan) -> ColumnPlan:
    """The plan that shows the same column's values as they are stored, JSON as text.

    Raises:
        UnsupportedError: values of its type can't be told apart so.

    """
    if plan.storage is Storage.JSON:
        return replace(plan, out=Out.TEXT, emit=True, zero=_ZERO_JSON)
    if plan.storage in _BYTES:
        return ColumnPlan(Storage.STRING, plan.meta, Out.BYTES)
    return raw_key_plan(plan)


def raw_row_plans(plans: Sequence[ColumnPlan], columns: Collection[int]) -> list[ColumnPlan]:
    """Plans for a decoder of the log's row events that shows these columns raw, and no others.

    Raises:
        UnsupportedError: as from `raw_row_plan`.

    """
    return [raw_row_plan(plan) if i in columns else replace(plan, emit=False) for i, plan in enumerate(plans)]


def json_form(text: bytes) -> bytes:
    """The one form of a JSON document's text, whether a SELECT or the log gave it; for one value, since it is rare."""
    found = json.loads(text, parse_float=_number, parse_int=_whole, strict=False)
    return json.dumps(_plain(found), sort_keys=True, separators=(",", ":")).encode()


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


def _whole(text: str) -> int | float:
    value = int(text)
    return value if abs(value) < _WHOLE else float(text)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value


def _text(value: str) -> str:
    matched = _FRACTION.fullmatch(value)
    if matched is not None:
        digits = matched[2].rstrip("0")
        return f"{matched[1]}.{digits}" if digits else matched[1]
    opaque = _OPAQUE.match(value)
    return value[opaque.end() :] if opaque is not None else value
