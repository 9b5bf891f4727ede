"""Which queries use shortcuts: set by an engine's argument, else by an environment variable."""

from __future__ import annotations

import os
from enum import Enum
from typing import Final, Self

VARIABLE: Final = "TAILRACE_STANDIN_SHORTCUTS"
_LARGE: Final = 20_000


class Shortcuts(Enum):
    """Shortcuts for large tables, for tables of any size at once (tests have small ones), or none."""

    ON = "on"
    ALWAYS = "always"
    OFF = "off"

    @property
    def least(self) -> int:
        """The minimum number of rows of a table."""
        return 0 if self is Shortcuts.ALWAYS else _LARGE

    @classmethod
    def chosen(cls) -> Self:
        """The value of the environment variable; raises `ValueError` if it is invalid."""
        word = os.environ.get(VARIABLE) or "on"
        try:
            return cls(word.lower())
        except ValueError:
            raise ValueError(f"{VARIABLE}={word}: it is {', '.join(each.value for each in cls)}") from None
