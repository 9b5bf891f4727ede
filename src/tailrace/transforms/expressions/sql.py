"""SQL conditions on the fields of records as trees: `value.op = 'c' AND value.after.amount > 100`.

sqlglot parses them; what is not in the table of nodes below is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final, cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tailrace.transforms.expressions.syntax import (
    Addition,
    Call,
    Comparison,
    Conditional,
    Evaluate,
    IsNull,
    Literal,
    Logical,
    Matches,
    Member,
    Name,
    Node,
    Not,
    Program,
    Within,
)
from tailrace.transforms.expressions.tokens import ExpressionError
from tailrace.transforms.expressions.words import VARIABLES

_COMPARISONS: Final = {exp.EQ: "==", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_METHODS: Final = {exp.Lower: "toLowerCase", exp.Upper: "toUpperCase", exp.Trim: "trim", exp.Length: "length"}
_SUPPORTED: Final = (
    "=, <>, <, >, AND, OR, NOT, IS NULL, IN, BETWEEN, LIKE, CASE, COALESCE, ||, LOWER, UPPER, TRIM and LENGTH"
)
_ARGUMENTS: Final = frozenset(
    {"this", "expression", "expressions", "low", "high", "ifs", "default", "true", "false", "negate"}
    | {"is_string", "table", "db", "catalog", "safe", "query", "coalesce"}
)
_VARIABLES: Final = tuple(name for name in VARIABLES if not name.endswith("Schema"))


def sql_program(text: str) -> Program:
    """A condition, or an expression for topics, as a program.

    Raises:
        ExpressionError: it is none, or has something that is not supported.

    """
    try:
        parsed = sqlglot.parse_one(f"SELECT {text}")
    except SqlglotError as error:
        details = getattr(error, "errors", None) or [{"description": str(error), "highlight": ""}]
        place = text.find(details[0]["highlight"] or text)
        raise ExpressionError(text, max(place, 0), f"not SQL: {details[0]['description']}") from error
    others = [name for name, part in parsed.args.items() if part and name != "expressions"]
    if not isinstance(parsed, exp.Select) or len(parsed.expressions) != 1 or others:
        raise ExpressionError(text, 0, "one condition is wanted, and nothing else")
    return (Evaluate(0, _Reader(text).node(parsed.expressions[0])),)


class _Reader:
    """Turns sqlglot's nodes into ours."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._readers: Final[dict[type[exp.Expression], Callable[..., Node]]] = {
            exp.Paren: lambda node: self.node(node.this),
            exp.Column: self._path,
            exp.Dot: self._path,
            exp.Literal: self._literal,
            exp.Boolean: lambda node: Literal(0, bool(node.this)),
            exp.Null: lambda _node: Literal(0, None),
            exp.Neg: self._negative,
            exp.And: lambda node: Logical(0, "&&", self.node(node.this), self.node(node.expression)),
            exp.Or: lambda node: Logical(0, "||", self.node(node.this), self.node(node.expression)),
            exp.Not: lambda node: Not(0, self.node(node.this)),
            exp.Is: self._is,
            exp.In: self._in,
            exp.Between: self._between,
            exp.Like: self._like,
            exp.Escape: self._like,
            exp.Case: self._case,
            exp.If: self._if,
            exp.Coalesce: self._coalesce,
            exp.DPipe: lambda node: Addition(0, self.node(node.this), self.node(node.expression)),
            **dict.fromkeys(_COMPARISONS, self._comparison),
            **dict.fromkeys(_METHODS, self._method),
        }

    def node(self, parsed: exp.Expression) -> Node:
        """The node of one of sqlglot's."""
        read = self._readers.get(type(parsed))
        unknown = [name for name, part in parsed.args.items() if part and name not in _ARGUMENTS]
        if read is None or unknown:
            raise self._error(parsed, f"not supported in a condition: there are {_SUPPORTED}")
        return read(parsed)

    def _error(self, parsed: exp.Expression, why: str) -> ExpressionError:
        starts = [int(part.meta["start"]) - len("SELECT ") for part in parsed.walk() if "start" in part.meta]
        shown = " ".join(parsed.sql().split())[:40]
        return ExpressionError(self._text, max(min(starts, default=0), 0), f"{shown}: {why}")

    def _path(self, parsed: exp.Expression) -> Node:
        names = [part.name for part in parsed.parts] if isinstance(parsed, exp.Column | exp.Dot) else []
        if not names or names[0] not in _VARIABLES:
            raise self._error(
                parsed, f"a field's path begins with one of {', '.join(_VARIABLES)}, as in value.after.id"
            )
        found: Node = Name(0, names[0])
        for name in names[1:]:
            found = Member(0, found, name)
        return found

    def _literal(self, parsed: exp.Literal) -> Node:
        if parsed.is_string:
            return Literal(0, parsed.this)
        value = Decimal(parsed.this)
        is_whole = re.fullmatch(r"\d+", parsed.this) and value < 1 << 63
        return Literal(0, int(value) if is_whole else value)

    def _negative(self, parsed: exp.Neg) -> Node:
        number = self.node(parsed.this)
        if not isinstance(number, Literal) or not isinstance(number.value, int | Decimal):
            raise self._error(parsed, "only a number can be negative")
        return Literal(0, -number.value)

    def _comparison(self, parsed: exp.Binary) -> Node:
        return Comparison(0, _COMPARISONS[type(parsed)], self.node(parsed.this), self.node(parsed.expression))

    def _is(self, parsed: exp.Is) -> Node:
        tested = self.node(parsed.this)
        if isinstance(parsed.expression, exp.Null):
            return IsNull(0, tested)
        if isinstance(parsed.expression, exp.Boolean):
            wanted = Comparison(0, "==", tested, self.node(parsed.expression))
            return Logical(0, "??", wanted, Literal(0, value=False))
        raise self._error(parsed, "IS takes NULL, TRUE or FALSE")

    def _in(self, parsed: exp.In) -> Node:
        if not parsed.expressions:
            raise self._error(parsed, "IN takes a list of values")
        return Within(0, self.node(parsed.this), tuple(map(self.node, parsed.expressions)))

    def _between(self, parsed: exp.Between) -> Node:
        value = self.node(parsed.this)
        low = Comparison(0, ">=", value, self.node(parsed.args["low"]))
        return Logical(0, "&&", low, Comparison(0, "<=", value, self.node(parsed.args["high"])))

    def _like(self, parsed: exp.Expression) -> Node:
        escape = "\\"
        if isinstance(parsed, exp.Escape):
            escape, parsed = parsed.expression.name, parsed.this
        pattern = parsed.expression
        if (
            not isinstance(parsed, exp.Like)
            or not (isinstance(pattern, exp.Literal) and pattern.is_string)
            or len(escape) != 1
        ):
            raise self._error(parsed, "LIKE takes a constant text, and ESCAPE one character")
        found = Matches(0, self.node(parsed.this), like_pattern(pattern.this, escape), find=False)
        return Not(0, found) if parsed.args.get("negate") else found

    def _case(self, parsed: exp.Case) -> Node:
        found = self.node(parsed.args["default"]) if parsed.args.get("default") is not None else Literal(0, None)
        of = parsed.this
        for branch in reversed(cast("list[exp.If]", parsed.args["ifs"])):
            test = self.node(branch.this)
            test = test if of is None else Comparison(0, "==", self.node(of), test)
            found = Conditional(0, test, self.node(branch.args["true"]), found)
        return found

    def _if(self, parsed: exp.If) -> Node:
        other = parsed.args.get("false")
        found = Literal(0, None) if other is None else self.node(other)
        return Conditional(0, self.node(parsed.this), self.node(parsed.args["true"]), found)

    def _coalesce(self, parsed: exp.Coalesce) -> Node:
        *first, last = [self.node(each) for each in (parsed.this, *parsed.expressions)]
        for each in reversed(first):
            last = Logical(0, "??", each, last)
        return last

    def _method(self, parsed: exp.Func) -> Node:
        return Call(0, self.node(parsed.this), _METHODS[type(parsed)], ())


def like_pattern(text: str, escape: str) -> re.Pattern[str]:
    """The regular expression of LIKE's pattern: % is anything, _ one character."""
    parts, at = [], 0
    while at < len(text):
        if text[at] == escape and at + 1 < len(text):
            at += 1
            parts.append(re.escape(text[at]))
        else:
            parts.append({"%": ".*", "_": "."}.get(text[at], re.escape(text[at])))
        at += 1
    return re.compile("".join(parts), re.DOTALL)
