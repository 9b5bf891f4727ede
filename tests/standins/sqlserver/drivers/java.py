"""The child process with mssql-jdbc, and where its jar comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.differential.jars import UnavailableError, java_home, libjvm
from tests.standins.driver_child import DriverChild
from tests.standins.sqlserver.drivers import jdbc
from tests.standins.sqlserver.drivers.installed import MISSING

from tailrace_standins.servers.java_jars import Unavailable, fetched_jars

VERSION = "13.2.0"
PACKAGES = (f"com.microsoft.sqlserver:mssql-jdbc:{VERSION}.jre11",)
PATIENCE_SECONDS = 20


class JdbcError(Exception):
    """An SQLException."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["error"])
        self.number = told["number"]
        self.state = told["state"]


def jdbc_of(port: int) -> Jdbc:
    """mssql-jdbc for a port; the test is skipped, and says so at the end, where it or Java can't be had."""
    try:
        return Jdbc(port)
    except (Unavailable, UnavailableError) as reason:
        MISSING.append(f"no mssql-jdbc: {reason}")
        pytest.skip(MISSING[-1])


class Jdbc(DriverChild):
    """Asks mssql-jdbc, connected to a port; `options` are further properties of the connection's URL."""

    def __init__(self, port: int) -> None:
        jar = next(path for path in fetched_jars(f"mssql-jdbc-{VERSION}", PACKAGES) if "mssql-jdbc" in path.name)
        command = [str(Path(jdbc.__file__)), str(libjvm(java_home())), str(jar), str(port)]
        super().__init__("Java", command, JdbcError, PATIENCE_SECONDS)

    def ask(self, job: str, *arguments: Any, options: str = "encrypt=false") -> Any:
        """The result of a job of `jdbc.py`; raises `JdbcError`."""
        return super().ask(job, *arguments, options=options)
