"""What sessions over a driver of Python's database interface have in common, whatever the database."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final, Self

from tailrace.connectors.shared.configured_sql import UNTOLD, ConfiguredSql, may_tell
from tailrace.errors import TailraceError

_LONGEST_SHOWN: Final = 120


class DriverSession(ABC):
    """One connection, which is closed with the session; errors of the driver become tailrace's."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @abstractmethod
    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    @abstractmethod
    def meaning(self, error: Exception, doing: str) -> TailraceError | None:
        """The meaning of an error of the driver; `doing` comes before its text. None for another error."""

    @abstractmethod
    def code(self, error: Exception) -> str:
        """What tells the kind of an error of the driver, without a word of the statement."""

    def one(self, sql: str, *params: Any) -> Any:
        """The first column of the first row; None if there is no row."""
        found = self.rows(sql, *params)
        return found[0][0] if found else None

    def close(self) -> None:
        """Close the session, and roll back an open transaction. Never raises."""
        with contextlib.suppress(Exception):  # the server has ended the session already, or will notice that it is gone
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def translated(self, doing: str, sql: str = "") -> Iterator[None]:
        """Translate errors of the driver to tailrace's; `sql` is the statement that runs, if one does."""
        try:
            yield
        except TailraceError:
            raise
        except Exception as error:
            meaning = self.meaning(error, doing)
            if meaning is None:
                raise
            if not may_tell(sql):  # `from None`: Spark shows an error with all those that it came from
                raise type(meaning)(f"{doing}: {self.code(error)}; {UNTOLD}") from None
            raise meaning from error


def shortened(sql: str) -> str:
    """A statement for messages; one of the configuration by its name."""
    if isinstance(sql, ConfiguredSql):
        return sql.name
    sql = " ".join(sql.split())
    return sql if len(sql) <= _LONGEST_SHOWN else sql[: _LONGEST_SHOWN - 3] + "..."
