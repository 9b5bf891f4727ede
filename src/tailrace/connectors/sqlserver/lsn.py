"""Log sequence numbers: ten bytes that ascend with the log, shown as Debezium shows them, `00000025:00000d98:00a2`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

from tailrace.errors import ProgressError

SIZE: Final = 10
_FORM: Final = re.compile(r"([0-9a-f]{8}):([0-9a-f]{8}):([0-9a-f]{4})\Z", re.IGNORECASE)
_HIGHEST: Final = (1 << 8 * SIZE) - 1


@dataclass(frozen=True, slots=True, order=True)
class Lsn:
    """A place in the log of one database."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != SIZE:
            raise ValueError(f"an LSN has {SIZE} bytes, not {len(self.raw)}")

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """From the binary(10) of a change table."""
        return cls(bytes(raw))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """From its form with colons.

        Raises:
            ProgressError: it is none.

        """
        found = _FORM.match(text)
        if found is None:
            raise ProgressError(f"{text!r} is no LSN of SQL Server: those look like 00000025:00000d98:00a2")
        return cls(bytes.fromhex("".join(found.groups())))

    @classmethod
    def from_hex(cls, text: str) -> Self:
        """From twenty hexadecimal digits."""
        return cls(bytes.fromhex(text))

    @property
    def text(self) -> str:
        """`00000025:00000d98:00a2`."""
        digits = self.raw.hex()
        return f"{digits[:8]}:{digits[8:16]}:{digits[16:]}"

    @property
    def hex(self) -> str:
        """Twenty digits, which sort as the log does."""
        return self.raw.hex()

    @property
    def is_zero(self) -> bool:
        """Before everything: what functions give where there is nothing yet."""
        return self == ZERO

    def next(self) -> Lsn:
        """The smallest that is larger, as sys.fn_cdc_increment_lsn has it."""
        number = int.from_bytes(self.raw, "big")
        return Lsn(min(number + 1, _HIGHEST).to_bytes(SIZE, "big"))

    def previous(self) -> Lsn:
        """The largest that is smaller, as sys.fn_cdc_decrement_lsn has it."""
        number = int.from_bytes(self.raw, "big")
        return Lsn(max(number - 1, 0).to_bytes(SIZE, "big"))

    def __str__(self) -> str:
        return self.text


ZERO: Final = Lsn(bytes(SIZE))
