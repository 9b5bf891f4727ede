"""The tree of an expression. Every node has the place of its first character in the text, for messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

Constant = None | bool | int | float | Decimal | str


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text, true, false or null; `bits`: of a number in Java."""

    place: int
    value: Constant
    bits: int = 64


@dataclass(frozen=True, slots=True)
class Undefined:
    """JavaScript's `undefined`."""

    place: int


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, such as `value`."""

    place: int
    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """A field or property; `safe`: null if it is one of a null."""

    place: int
    of: Node
    name: str
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A method of a value; `pattern`: the regular expression that it takes instead of arguments."""

    place: int
    of: Node
    method: str
    arguments: tuple[Node, ...]
    safe: bool = False
    pattern: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """What stands in parentheses; it ends a chain of `?.`."""

    place: int
    inner: Node


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    place: int
    operand: Node


@dataclass(frozen=True, slots=True)
class Logical:
    """`&&`, `||` or `??`, whose right side counts only where the left does not decide."""

    place: int
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Conditional:
    """`test ? then : other`; without `then` it is Groovy's `test ?: other`."""

    place: int
    test: Node
    then: Node | None
    other: Node


@dataclass(frozen=True, slots=True)
class Comparison:
    """`==`, `!=`, `===`, `!==`, `<`, `<=`, `>` or `>=`."""

    place: int
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Within:
    """Whether a list has an item."""

    place: int
    item: Node
    items: tuple[Node, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class WithinRange:
    """Whether a range of whole numbers has one; both ends belong to it. `bits`: of its ends in Java."""

    place: int
    item: Node
    first: int
    last: int
    bits: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """Whether a text matches a regular expression: the whole text, or (`find`) a part of it."""

    place: int
    text: Node
    pattern: re.Pattern[str]
    find: bool


@dataclass(frozen=True, slots=True)
class Addition:
    """`+`."""

    place: int
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class IsNull:
    """SQL's IS NULL."""

    place: int
    operand: Node


Node = (
    Literal | Undefined | Name | Member | Call | Group | Not | Logical | Conditional | Comparison | Within | WithinRange
    | Matches | Addition | IsNull
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evaluate:
    """A statement that is an expression."""

    place: int
    expression: Node


@dataclass(frozen=True, slots=True)
class Return:
    """`return`."""

    place: int
    expression: Node


@dataclass(frozen=True, slots=True)
class If:
    """`if`, with what to do otherwise."""

    place: int
    test: Node
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


Statement = Evaluate | Return | If
Program = tuple[Statement, ...]
