"""Functions of numbers, and those that generate values.

Source: "Mathematical functions", https://learn.microsoft.com/sql/t-sql/functions/mathematical-functions-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

import math
import re
from uuid import uuid4

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.functions.registry import FUNCTIONS, TEXT, Function, function
from tailrace_standins.sqlserver.engine.stored import guid_stored
from tailrace_standins.sqlserver.engine.types import BIGINT, FLOAT, INT
from tailrace_standins.sqlserver.values import SqlType


def _number(of: list[SqlType]) -> SqlType:
    return of[0] if types.is_number(of[0]) else FLOAT


@function("NEWID", (), types.GUID, is_stable=False)
def _newid() -> bytes:
    return guid_stored(uuid4())


FUNCTIONS["NEWSEQUENTIALID"] = Function("NEWSEQUENTIALID", _newid, (), types.GUID, 0, 0, is_stable=False)


@function("SIGN", (FLOAT,), INT)
def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


@function("POWER", (FLOAT, FLOAT), FLOAT)
def _power(value: float, exponent: float) -> float:
    return float(value**exponent)


@function("SQUARE", (FLOAT,), FLOAT)
def _square(value: float) -> float:
    return value * value


@function("RAND", (INT,), FLOAT, least=0, is_stable=False)
def _rand(seed: int | None = None) -> float:
    import random

    return (random.Random(seed) if seed is not None else random).random()  # noqa: S311


for _name, _call in (("SQRT", math.sqrt), ("EXP", math.exp), ("LOG", math.log), ("LOG10", math.log10), ("SIN", math.sin), ("COS", math.cos), ("TAN", math.tan), ("PI", lambda: math.pi)):  # fmt: skip
    _arguments: tuple[SqlType | None, ...] = () if _name == "PI" else (FLOAT,)
    FUNCTIONS[_name] = Function(_name, _call, _arguments, FLOAT, len(_arguments), len(_arguments))


@function("ISNUMERIC", (TEXT,), INT, takes_null=True)
def _isnumeric(value: str | None) -> int:
    return int(bool(value and re.match(r"\s*[+-]?[$£€]?(\d[\d,]*\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$", value)))


@function("BIT_COUNT", (BIGINT,), BIGINT)
def _bit_count(value: int) -> int:
    return (value & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
