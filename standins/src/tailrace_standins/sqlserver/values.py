"""T-SQL's types, and the Python values that stand for theirs between wire and engine.

| types | value |
| --- | --- |
| bit, tinyint, smallint, int, bigint | int |
| real, float | float |
| decimal, numeric, money, smallmoney | Decimal, with the type's scale |
| char, varchar, text, nchar, nvarchar, ntext, xml, sysname | str |
| binary, varbinary, image, timestamp (rowversion) | bytes |
| uniqueidentifier | UUID |
| date | str, `2024-02-29` |
| time(n) | str, `12:34:56.1234567`, with n digits behind the point, none for 0 |
| smalldatetime, datetime, datetime2(n) | str, `2024-02-29 12:34:56.123`, with 0, 3 or n digits behind the point |
| datetimeoffset(n) | str, `2024-02-29 12:34:56.1234567 +02:00` |
| sql_variant | `Variant` |
| all | None for NULL |

Dates and times are text, as CONVERT(…, 121) gives them, because Python's have no seventh digit.

Source: "Data types (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias
from uuid import UUID

MAX: Final = -1
DEFAULT_COLLATION: Final = "SQL_Latin1_General_CP1_CI_AS"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type with its facets.

    Attributes:
        name: in lower case, as `sys.types` has it ("timestamp" for rowversion, "decimal" and "numeric" apart).
        length: of char and binary types, in characters or bytes as they were declared; `MAX` for (max).
        precision: digits of decimal and numeric.
        scale: of decimal and numeric; digits of seconds of time, datetime2 and datetimeoffset.
        collation: of char types.

    """

    name: str
    length: int = 0
    precision: int = 0
    scale: int = 0
    collation: str | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """A value of sql_variant and the type it has inside."""

    type: SqlType
    value: Value


Value: TypeAlias = int | float | Decimal | str | bytes | UUID | Variant | None
