"""A session's SQLite connection: its settings, the functions that compiled statements call, errors as SQL Server's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal, DivisionByZero, InvalidOperation
from pathlib import Path
from typing import Any, Final

from tailrace.standin.sqlserver.engine import aggregates, collations, functions, functions_dates, stored
from tailrace.standin.sqlserver.engine.compile_expressions import CONVERSIONS
from tailrace.standin.sqlserver.engine.convert_text import characters
from tailrace.standin.sqlserver.engine.errors import error, unsupported
from tailrace.standin.sqlserver.engine.stored import EXACT, Stored, exact, packed
from tailrace.standin.sqlserver.engine.types import INTEGER_RANGE, family
from tailrace.standin.sqlserver.session import SqlError
from tailrace.standin.sqlserver.values import SqlType

CANCELLED: Final = 3617  # as SQL Server calls an attention: the wire answers with DONE (attention), not with an error


class Connection:
    """SQLite for one session; statements and commits are said in full (`isolation_level` None)."""

    def __init__(self, path: Path) -> None:
        """Open the server's file."""
        self.raw = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=60, cached_statements=512
        )
        for pragma in (
            "journal_mode=WAL",
            "synchronous=OFF",
            "temp_store=MEMORY",
            "cache_size=-16000",
            "case_sensitive_like=ON",
        ):
            self.raw.execute(f"PRAGMA {pragma}")
        self._error: SqlError | None = None
        self.is_cancelled = False
        collations.register(self.raw)
        aggregates.register(self.raw)
        self._functions()

    def define(self, name: str, call: Callable[..., Stored], *, stable: bool = True) -> None:
        """A function for compiled statements; a `SqlError` that it raises ends the statement."""

        def guarded(*arguments: Any) -> Stored:
            try:
                return call(*arguments)
            except SqlError as problem:
                self._error = problem
                raise
            except Exception as problem:
                self._error = unsupported(f"{name} with these arguments ({problem})")
                raise

        self.raw.create_function(name, -1, guarded, deterministic=stable)

    def execute(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> sqlite3.Cursor:
        """Run a statement; raises `SqlError`."""
        try:
            return self.raw.execute(sql, values)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def many(self, sql: str, rows: Sequence[Sequence[Stored]]) -> None:
        """Run a statement for each row."""
        try:
            self.raw.executemany(sql, rows)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def fetch(self, cursor: sqlite3.Cursor, count: int) -> list[tuple[Stored, ...]]:
        """Up to `count` rows; raises `SqlError`."""
        try:
            return cursor.fetchmany(count)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def rows(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> list[tuple[Stored, ...]]:
        """All rows."""
        cursor = self.execute(sql, values)
        try:
            return cursor.fetchall()
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def translated(self, problem: sqlite3.Error) -> SqlError:
        """The error of SQL Server's that SQLite's stands for."""
        found, self._error = self._error, None
        if found is not None:
            return found
        text = str(problem)
        if "interrupted" in text:
            return SqlError(CANCELLED, "Operation cancelled by user.", severity=11)
        if "integer overflow" in text:
            return error(8115, "expression", "bigint")
        return unsupported(f"a statement that SQLite refuses ({text})")

    def _functions(self) -> None:
        self.define("conv", _conv)
        self.define("num", _whole)
        self.define("flo", _float)
        self.define("dec", _decimal)
        self.define("lik", functions.liker())
        self.define("row_count", _row_count)
        self.define("raise_error", _raise, stable=False)
        self.define("rounded", _rounded)
        self.define("datalength", _datalength)
        self.define("concat_ws", _concat_ws)
        self.define("without_zeros", lambda data: None if data is None else data.rstrip(b"\0"))
        self.define("variant_property", _variant_property)
        for call in (
            functions_dates.dateadd,
            functions_dates.datediff,
            functions_dates.datepart,
            functions_dates.datename,
        ):
            self.define(call.__name__, call)
        for other in (
            functions_dates.datefromparts,
            functions_dates.eomonth,
            functions_dates.todatetimeoffset,
            functions_dates.switchoffset,
        ):
            self.define(other.__name__, other)
        for last in (functions_dates.at_time_zone, functions_dates.isdate, functions_dates.formatted):
            self.define(last.__name__, last)
        for name, function in functions.FUNCTIONS.items():
            call = function.call if function.takes_null else _strict(function.call)
            self.define(f"f_{name.lower()}", call, stable=function.is_stable)


def _strict(call: Callable[..., Stored]) -> Callable[..., Stored]:
    return lambda *arguments: None if None in arguments else call(*arguments)


def _conv(number: int, value: Stored) -> Stored:
    return None if value is None else CONVERSIONS[number](value)


def _raise(number: int) -> Stored:
    raise error(number)


def _row_count(count: int | None) -> int:
    if count is None or count < 0:
        raise error(127)
    return count


def _whole(operator: str, a: int | None, b: int | None, of: str) -> int | None:
    if a is None or b is None:
        return None
    match operator:
        case "+":
            result = a + b
        case "-":
            result = a - b
        case "*":
            result = a * b
        case _:
            if b == 0:
                raise error(8134)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            result = quotient if operator == "/" else a - quotient * b
    low, high = INTEGER_RANGE[of]
    if not low <= result <= high:
        raise error(8115, "expression", of)
    return result


def _float(operator: str, a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return None
    if b == 0:
        raise error(8134)
    return a / b if operator == "/" else a - b * int(a / b)


def _decimal(operator: str, left: str | None, right: str | None, precision: int, scale: int) -> str | None:
    if left is None or right is None:
        return None
    a, b = exact(left), exact(right)
    try:
        match operator:
            case "+":
                result = EXACT.add(a, b)
            case "-":
                result = EXACT.subtract(a, b)
            case "*":
                result = EXACT.multiply(a, b)
            case "/":
                result = EXACT.divide(a, b)
            case _:
                result = EXACT.remainder(a, b)
    except (DivisionByZero, InvalidOperation):
        raise error(8134) from None
    result = result.quantize(Decimal(1).scaleb(-scale), ROUND_DOWN if operator == "/" else ROUND_HALF_UP, EXACT)
    if len(result.as_tuple().digits) > precision and abs(result) >= Decimal(10) ** (precision - scale):
        raise error(8115, "expression", "numeric")
    return packed(result)


def _rounded(name: str, value: Any, digits: int | None, cut: int | None, kind: str) -> Stored:
    if value is None or digits is None:
        return None
    number = exact(value) if kind == "decimal" else Decimal(value)
    if name == "abs":
        number = abs(number)
    else:
        how = {"floor": ROUND_FLOOR, "ceiling": ROUND_CEILING}.get(name, ROUND_DOWN if cut else ROUND_HALF_UP)
        number = number.quantize(Decimal(1).scaleb(-digits), how, EXACT)
    if kind == "decimal":
        return packed(number)
    return int(number) if kind == "int" else float(number)


def _datalength(value: Any, name: str, precision: int, scale: int) -> int | None:
    if value is None:
        return None
    of = SqlType(name, precision=precision, scale=scale)
    kind = family(of)
    if kind == "text":
        return len(characters(value, of if name != "xml" else SqlType("nvarchar")))
    if kind == "binary":
        return len(value)
    if kind == "variant":
        inner, held = stored.variant_parts(value)
        return _datalength(held, inner.name, inner.precision, inner.scale)
    seconds = 0 if scale < 3 else 1 if scale < 5 else 2
    sizes = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "real": 4, "float": 8, "money": 8, "smallmoney": 4,
             "date": 3, "smalldatetime": 4, "datetime": 8, "time": 3 + seconds, "datetime2": 6 + seconds,
             "datetimeoffset": 8 + seconds,
             "uniqueidentifier": 16}  # fmt: skip
    return sizes.get(name, 5 if precision < 10 else 9 if precision < 20 else 13 if precision < 29 else 17)


def _concat_ws(separator: str | None, *values: str | None) -> str:
    return (separator or "").join(value for value in values if value is not None)


def _variant_property(text: str | None, what: str) -> str | None:
    if text is None:
        return None
    of, _ = stored.variant_parts(text)
    nvarchar, number = SqlType("nvarchar", 128), SqlType("int")
    match what.lower():
        case "basetype":
            return stored.variant_stored(nvarchar, of.name)
        case "precision":
            return stored.variant_stored(number, of.precision)
        case "scale":
            return stored.variant_stored(number, of.scale)
        case "maxlength":
            return stored.variant_stored(number, of.length * (2 if of.name[0] == "n" else 1))
        case "collation":
            return None if of.collation is None else stored.variant_stored(nvarchar, of.collation)
    return None
