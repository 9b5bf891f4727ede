"""Which queries take the shortcuts: a server's argument, or a variable of the environment where it has none."""

from __future__ import annotations

import os
from enum import Enum
from typing import Final, Self

from tailrace_standins.sqlserver.shortcuts.tables.blocks import BLOCK

VARIABLE: Final = "TAILRACE_STANDIN_SHORTCUTS"


class Shortcuts(Enum):
    """Queries of large tables, of tables of any size (tests have only small ones), or none."""

    ON = "on"
    ALWAYS = "always"
    OFF = "off"

    @property
    def least(self) -> int:
        """How many rows a table must have."""
        return 0 if self is Shortcuts.ALWAYS else BLOCK

    @classmethod
    def chosen(cls) -> Self:
        """What the environment says; raises `ValueError` where it says something else."""
        word = os.environ.get(VARIABLE) or "on"
        try:
            return cls(word.lower())
        except ValueError:
            raise ValueError(f"{VARIABLE}={word}: it is {', '.join(each.value for each in cls)}") from None
