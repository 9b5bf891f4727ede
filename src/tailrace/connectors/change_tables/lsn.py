"""Log sequence numbers (LSNs): bytes that ascend with the log, of one width in a database, and otherwise opaque.

They are shown as Debezium shows them, with a colon after the fourth and the eighth byte: `00000025:00000d98:00a2`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tailrace.errors import ProgressError

COLONS: Final = (4, 8)  # a colon is written before these bytes
_FORM: Final = re.compile(r"([0-9a-f]{8}):([0-9a-f]{8}):((?:[0-9a-f]{2})+)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Lsn:
    """A position in the log of one database."""

    raw: bytes

    @property
    def text(self) -> str:
        """`00000025:00000d98:00a2`."""
        digits = self.raw.hex()
        return f"{digits[:8]}:{digits[8:16]}:{digits[16:]}"

    @property
    def hex(self) -> str:
        """Its digits, which sort as the log does."""
        return self.raw.hex()

    @property
    def is_zero(self) -> bool:
        """Whether it lies before everything: the database has captured nothing yet."""
        return not any(self.raw)

    def next(self) -> Lsn:
        """The smallest larger LSN; the greatest of all stays."""
        size = len(self.raw)
        number = int.from_bytes(self.raw, "big")
        return Lsn(min(number + 1, (1 << 8 * size) - 1).to_bytes(size, "big"))

    def previous(self) -> Lsn:
        """The greatest smaller LSN; zero stays."""
        number = int.from_bytes(self.raw, "big")
        return Lsn(max(number - 1, 0).to_bytes(len(self.raw), "big"))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class LsnForm:
    """The form of a database's log sequence numbers.

    Attributes:
        size: their width in bytes, more than eight and at most sixteen. If servers differ, it is the greatest width;
            shorter LSNs are padded with zeros at the end, which keeps their order.
        database: the kind of database, for people.

    """

    size: int
    database: str

    def of(self, raw: bytes) -> Lsn:
        """An LSN from its bytes.

        Raises:
            ValueError: their number is wrong.

        """
        if len(raw) != self.size:
            raise ValueError(f"an LSN has {self.size} bytes, not {len(raw)}")
        return Lsn(bytes(raw))

    def parse(self, text: str) -> Lsn:
        """An LSN from its text with colons.

        Raises:
            ProgressError: it is not one.

        """
        found = _FORM.match(text)
        raw = b"" if found is None else bytes.fromhex("".join(found.groups()))
        if len(raw) != self.size:
            raise ProgressError(f"{text!r} is no LSN of {self.database}: those look like {self._example}")
        return Lsn(raw)

    @property
    def zero(self) -> Lsn:
        """The LSN before all others."""
        return Lsn(bytes(self.size))

    @property
    def highest(self) -> Lsn:
        """The LSN after all others."""
        return Lsn(b"\xff" * self.size)

    @property
    def _example(self) -> str:
        return Lsn(bytes.fromhex("0000002500000d98").ljust(self.size - 2, b"\0") + b"\0\xa2").text
