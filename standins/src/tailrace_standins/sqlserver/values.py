"""T-SQL's types, and their Python values between wire and engine.

| types | value |
| --- | --- |
| bit, tinyint, smallint, int, bigint | int |
| real, float | float |
| decimal, numeric, money, smallmoney | Decimal, with the type's scale |
| char, varchar, text, nchar, nvarchar, ntext, xml, sysname | str |
| binary, varbinary, image, timestamp (rowversion) | bytes |
| uniqueidentifier | UUID |
| date | str, `2024-02-29` |
| time(n) | str, `12:34:56.1234567`, with n fractional digits, none for 0 |
| smalldatetime, datetime, datetime2(n) | str, `2024-02-29 12:34:56.123`, with 0, 3 or n fractional digits |
| datetimeoffset(n) | str, `2024-02-29 12:34:56.1234567 +02:00` |
| sql_variant | `Variant` |
| all | None for NULL |

Dates and times are text in the form of CONVERT(…, 121), because Python's types have no seventh fractional digit.

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
        name: in lower case, as in `sys.types` ("timestamp" for rowversion; "decimal" and "numeric" are different).
        length: of character and binary types, in characters or bytes as declared; `MAX` for (max).
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
    """A value of sql_variant with its base type."""

    type: SqlType
    value: Value


Value: TypeAlias = int | float | Decimal | str | bytes | UUID | Variant | None
