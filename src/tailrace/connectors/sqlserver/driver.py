"""mssql-python, Microsoft's driver: loaded when it is needed, with a word on what to install where it can't be.

Its pool is switched off: a session that comes back from a pool has the isolation level of whoever had it before.

It names itself to the server, and takes no other name. So that of the user's is put before what it makes of a connection
string: the ODBC driver takes the first of two values
(https://learn.microsoft.com/sql/odbc/reference/syntax/sqldriverconnect-function).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tailrace.connectors.sqlserver.connection_string import quoted_value
from tailrace.errors import SourceSetupError


@cache
def driver() -> Any:
    """The module.

    Raises:
        SourceSetupError: it is not installed.

    """
    try:
        import mssql_python
    except ImportError as error:
        raise SourceSetupError(
            f"SQL Server is read with mssql-python, which can't be imported ({error}); install it: "
            "pip install 'tailrace[sqlserver]'"
        ) from error
    mssql_python.pooling(enabled=False)
    return mssql_python


def connection(text: str, application: str | None, timeout: int) -> Any:
    """A connection in autocommit mode; `text`: its connection string, `application`: what the server calls it."""
    module = driver()
    if application is None:
        return module.connect(text, autocommit=True, timeout=timeout)
    return _named(application)(text, autocommit=True, timeout=timeout)


def _named(application: str) -> Any:
    """The driver's class of connections, with another name than its own."""
    first = f"APP={quoted_value(application)};"

    class Named(driver().Connection):  # type: ignore[misc]
        def _construct_connection_string(self, *given: Any, **more: Any) -> Any:
            made = super()._construct_connection_string(*given, **more)
            return first + made if isinstance(made, str) else (first + made[0], *made[1:])

    return Named
