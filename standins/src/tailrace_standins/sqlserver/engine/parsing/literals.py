"""Parses constants, with their T-SQL types.

Source: "Constants", https://learn.microsoft.com/sql/t-sql/data-types/constants-transact-sql
"""

from __future__ import annotations

from decimal import Decimal

from tailrace_standins.sqlserver.engine import tree, types
from tailrace_standins.sqlserver.values import MAX


def negative(operand: tree.Literal) -> tree.Literal:
    """The literal with a minus before it."""
    value = operand.value
    assert isinstance(value, int | float | Decimal)  # noqa: S101  # the caller looked
    if isinstance(value, Decimal):
        return tree.Literal(value.copy_negate(), operand.type)  # `-` would round to 28 digits
    return tree.Literal(-value, types.INT if value == 2**31 and operand.type == types.BIGINT else operand.type)


def literal(kind: str, text: str) -> tree.Literal:
    """The literal of a token of that kind."""
    if kind == "string":
        return tree.Literal(text, types.text("varchar", max(len(text), 1) if len(text) <= 8000 else MAX))
    if kind == "nstring":
        return tree.Literal(text, types.text("nvarchar", max(len(text), 1) if len(text) <= 4000 else MAX))
    if kind == "binary":
        digits = text[2:]
        data = bytes.fromhex(digits if len(digits) % 2 == 0 else "0" + digits)
        return tree.Literal(data, types.binary("varbinary", max(len(data), 1) if len(data) <= 8000 else MAX))
    if kind == "money":
        return tree.Literal(Decimal(text[1:]).quantize(Decimal("0.0001")), types.MONEY)
    return _number(text)


def _number(text: str) -> tree.Literal:
    if "e" in text.lower():
        return tree.Literal(float(text), types.FLOAT)
    if text.isdigit():
        value = int(text)
        if value < 2**31:
            return tree.Literal(value, types.INT)
        if value < 2**63:
            # SQL Server makes numeric of it; bigint holds the same and compares the same.
            return tree.Literal(value, types.BIGINT)
        return tree.Literal(Decimal(text), types.decimal(min(38, len(text)), 0, "numeric"))
    whole, _, fraction = text.partition(".")
    precision = len(whole.lstrip("0")) + len(fraction)
    return tree.Literal(Decimal(text), types.decimal(max(1, min(38, precision)), len(fraction), "numeric"))
