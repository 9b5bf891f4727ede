"""The scalar functions for the compiler: arguments, result, and the Python function that SQLite calls.

Source: "What are the SQL database functions?", https://learn.microsoft.com/sql/t-sql/functions/functions
"""

# tables have long lines
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.values import MAX, SqlType

TEXT: Final = types.text("nvarchar", MAX)
BYTES: Final = types.binary("varbinary", MAX)
ResultRule: TypeAlias = SqlType | Callable[[list[SqlType]], SqlType]


@dataclass(frozen=True, slots=True)
class Function:
    """A function.

    Attributes:
        arguments: types to which arguments are converted; None leaves one as it is; the last stands for all that
            follow.
        result: a type, or what gives one for the arguments' types.
        least, most: how many arguments.
        takes_null: gets NULLs, instead of being NULL where an argument is.
        is_stable: the same arguments give the same result.

    """

    name: str
    call: Callable[..., Stored]
    arguments: tuple[SqlType | None, ...]
    result: ResultRule
    least: int
    most: int
    takes_null: bool = False
    is_stable: bool = True


FUNCTIONS: Final[dict[str, Function]] = {}


def function(
    name: str, arguments: tuple[SqlType | None, ...], result: ResultRule, *, least: int | None = None, most: int | None = None,
    takes_null: bool = False, is_stable: bool = True,
) -> Callable[[Callable[..., Stored]], Callable[..., Stored]]:  # fmt: skip
    """Register a function under T-SQL's name."""

    def register(call: Callable[..., Stored]) -> Callable[..., Stored]:
        fewest = len(arguments) if least is None else least
        FUNCTIONS[name] = Function(name, call, arguments, result, fewest, most or len(arguments), takes_null, is_stable)
        return call

    return register
