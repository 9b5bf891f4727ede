"""Package names with sections: by them a client names its statements and cursors.

The packages of CLI and JDBC tell an isolation level and whether cursors are held: SYSSH200 is a small package, its cursors are
held over commits, with cursor stability.

Sources: DRDA V5 volume 3, "PKGNAMCSN", "SCLDTALEN"; IBM Db2 documentation, "CLI bind files and package names"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tailrace_standins.db2.drda.cursor import Cursor
from tailrace_standins.db2.session import Isolation

_FIXED: Final = 64
_NAME: Final = 18
_TOKEN: Final = 8
_OF_CLI: Final = re.compile(r"SYS[SL]([HN])([0-4])..")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a package: the key of a statement, or of its cursor."""

    database: str
    collection: str
    package: str
    token: bytes
    number: int

    @property
    def isolation(self) -> Isolation:
        """The level that the package's name tells; cursor stability otherwise, as Db2 has it."""
        told = _OF_CLI.fullmatch(self.package)
        return Isolation(int(told[2])) if told else Isolation.CURSOR_STABILITY

    @property
    def held(self) -> bool:
        """Whether its cursors stay open after a commit."""
        told = _OF_CLI.fullmatch(self.package)
        return told is not None and told[1] == "H"

    def of_number(self, number: int) -> Section:
        """Another section of the package."""
        return Section(self.database, self.collection, self.package, self.token, number)

    def written(self, encoding: str) -> bytes:
        """PKGNAMCSN's data."""
        names = [name.encode(encoding) for name in (self.database, self.collection, self.package)]
        blank = " ".encode(encoding)
        if all(len(name) <= _NAME for name in names):
            told = b"".join(name.ljust(_NAME, blank) for name in names)
        else:
            told = b"".join(len(name).to_bytes(2, "big") + name for name in names)
        return told + self.token + self.number.to_bytes(2, "big")


def section(data: bytes, encoding: str) -> Section:
    """The section that PKGNAMCSN names; raises `ProtocolError` if it is too short."""
    cursor = Cursor(data)
    fixed = len(data) == _FIXED
    names = [cursor.take(_NAME if fixed else cursor.big(2)).decode(encoding).rstrip() for _ in range(3)]
    return Section(names[0], names[1], names[2], cursor.take(_TOKEN), cursor.big(2))
