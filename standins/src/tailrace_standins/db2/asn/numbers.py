"""Log sequence numbers: of positions in the stand-in's log, in the form of the database's level.

Sixteen bytes as Db2 11.5 shows them, where neighbours have their first eight in common; ten as on z/OS and on old levels. A
database that was restored goes on with the numbers that it had at its backup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LONG, SHORT = 16, 10
_PARTS: Final = 4  # numbers for one position: a record may become two rows


@dataclass(slots=True)
class Lsns:
    """The log sequence numbers of a database.

    Attributes:
        size: in bytes, 16 or 10.
        lost: positions that the log has gone back by.

    """

    size: int = LONG
    lost: int = 0

    def at(self, position: int, part: int = 0) -> bytes:
        """The number of a position, and of the rows that its record becomes."""
        number = (position - self.lost) * _PARTS + part
        if self.size == SHORT:
            return number.to_bytes(SHORT, "big")
        return (number >> 16).to_bytes(8, "big") + (number & 0xFFFF).to_bytes(8, "big")

    @property
    def sql_type(self) -> str:
        """The type of the columns that have them."""
        return "VARCHAR(16) FOR BIT DATA" if self.size == LONG else "CHAR(10) FOR BIT DATA"
