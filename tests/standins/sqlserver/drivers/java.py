"""The child process with mssql-jdbc, and where its jar comes from."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from tests.differential.jars import UnavailableError, java_home, libjvm
from tests.standins.sqlserver.drivers import jdbc
from tests.standins.sqlserver.drivers.installed import MISSING

from tailrace_standins.servers.child_process import dying_with_parent
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


class Jdbc:
    """Asks mssql-jdbc, connected to a port; `options` are further properties of the connection's URL."""

    def __init__(self, port: int) -> None:
        jar = next(path for path in fetched_jars(f"mssql-jdbc-{VERSION}", PACKAGES) if "mssql-jdbc" in path.name)
        command = [sys.executable, str(Path(jdbc.__file__)), str(libjvm(java_home())), str(jar), str(port)]
        self._child = subprocess.Popen(
            [*dying_with_parent(), *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._child.communicate(timeout=10)
        finally:
            self._child.kill()

    def ask(self, job: str, *arguments: Any, options: str = "encrypt=false") -> Any:
        """The result of a job of `jdbc.py`; raises `JdbcError`."""
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps({"job": job, "arguments": arguments, "options": options}) + "\n")
        self._child.stdin.flush()
        ready, _, _ = select.select([self._child.stdout], [], [], PATIENCE_SECONDS)
        assert ready, f"Java has not answered {job} {arguments} within {PATIENCE_SECONDS} s"
        answer = self._child.stdout.readline()
        assert answer, f"Java ended with {self._child.wait(30)}"
        told = json.loads(answer)
        if "error" in told:
            raise JdbcError(told)
        return told["result"]
