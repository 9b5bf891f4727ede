"""How a client writes what it sends: the order of bytes in numbers, and the encoding of text.

It says so when it opens the database, and may say otherwise for one command.

Source: DRDA V5 volume 3, "TYPDEFNAM", "TYPDEFOVR", "CCSIDMBC"
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from tailrace_standins.db2.drda.codepoints import Parameter
from tailrace_standins.db2.drda.cursor import ProtocolError
from tailrace_standins.db2.drda.objects import objects

_ORDERS: Final[dict[str, Literal["little", "big"]]] = {"QTDSQLX86": "little", "QTDSQLASC": "big"}
_ENCODINGS: Final = {1208: "utf-8", 819: "latin-1", 1252: "cp1252", 37: "cp037", 500: "cp500", 923: "iso8859-15"}


@dataclass(frozen=True, slots=True)
class ClientTypes:
    """The order of bytes and the encoding of text that is not graphic."""

    order: Literal["little", "big"] = "little"
    text: str = "utf-8"

    def overridden(self, told: dict[int, bytes]) -> ClientTypes:
        """With what parameters or objects say otherwise; raises `ProtocolError` for what is not read here."""
        found = self
        if Parameter.TYPDEFNAM in told:
            found = replace(found, order=_order(told[Parameter.TYPDEFNAM]))
        numbers = dict(objects(told.get(Parameter.TYPDEFOVR, b"")))
        number = numbers.get(Parameter.CCSIDMBC, numbers.get(Parameter.CCSIDSBC))
        if number is not None and (ccsid := int.from_bytes(number, "big")):
            if ccsid not in _ENCODINGS:
                raise ProtocolError(f"text of CCSID {ccsid}")
            found = replace(found, text=_ENCODINGS[ccsid])
        return found


def _order(name: bytes) -> Literal["little", "big"]:
    for encoding in ("cp500", "latin-1"):
        if (text := name.decode(encoding).rstrip()) in _ORDERS:
            return _ORDERS[text]
    raise ProtocolError(f"types {name.hex()}, which are not read here")
