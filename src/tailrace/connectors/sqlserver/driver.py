"""mssql-python, Microsoft's driver: loaded when it is needed, with a word on what to install where it can't be.

Its pool is switched off: a session that comes back from a pool has the isolation level of whoever had it before.
"""

from __future__ import annotations

from functools import cache
from typing import Any

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
