"""SQL that a configuration has, and what the errors of its statements may say.

A placeholder in such a statement brings in what no message may have. So messages name the property and do not quote the
statement. The server's text may repeat a part of it ("near '…'"), and is told only where nothing was filled in.
"""

from __future__ import annotations

from typing import Final, Self

from tailrace.config.settings import Settings

UNTOLD: Final = "the server's text may repeat what a placeholder stands for, and is left out"


class ConfiguredSql(str):
    """A statement of the configuration.

    Drivers may take no subclass of a text: give them `str(statement)`.

    Attributes:
        name: how messages name it.
        is_filled: whether it may have more than the configuration shows.

    """

    __slots__ = ("is_filled", "name")
    name: str
    is_filled: bool

    def __new__(cls, text: str, *, name: str, is_filled: bool) -> Self:
        """A statement with this text."""
        made = super().__new__(cls, text)
        made.name = name
        made.is_filled = is_filled
        return made


def is_filled(settings: Settings, name: str, text: str) -> bool:
    """Whether a property's value is not as the configuration shows it: a placeholder was filled, or it is hidden."""
    return settings.redacted().get(name, text).strip() != text.strip()


def running(sql: str, shown: str) -> str:
    """What stands before the text of a statement's error; `shown` is the statement as it is quoted."""
    return f"running {sql.name}" if isinstance(sql, ConfiguredSql) else f"running {shown!r}"


def may_tell(sql: str) -> bool:
    """Whether the server's text of a statement's error may be told."""
    return not (isinstance(sql, ConfiguredSql) and sql.is_filled)
