"""mssql-python, Microsoft's driver: imported when it is needed, with an error that says how to install it.

Its connection pool is disabled: a pooled connection keeps the isolation level of its last user.

The driver sets its own application name, and accepts no other. So the user's name is put before the connection string
that it builds, because the ODBC driver takes the first of two values
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
    """A connection in autocommit mode; `text`: the connection string, `application`: the application name."""
    module = driver()
    if application is None:
        return module.connect(text, autocommit=True, timeout=timeout)
    return _named(application)(text, autocommit=True, timeout=timeout)


def _named(application: str) -> Any:
    """The driver's connection class with another application name."""
    first = f"APP={quoted_value(application)};"

    class Named(driver().Connection):  # type: ignore[misc]
        def _construct_connection_string(self, *given: Any, **more: Any) -> Any:
            made = super()._construct_connection_string(*given, **more)
            return first + made if isinstance(made, str) else (first + made[0], *made[1:])

    return Named
