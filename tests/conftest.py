"""Fixtures that more than one part of the suite needs: real MySQL servers, fresh databases.

`TAILRACE_TEST_MYSQL_URL=mysql://user:password@host:port` takes a server that is there instead of starting
one.
"""

import os
import uuid
from collections.abc import Iterator

import pytest

from tailrace.testing.mysql_server import GivenServer, MySqlServer, Server, Unavailable

TESTS_WITHOUT_SERVER: list[str] = []


def _started(**options: object) -> Iterator[MySqlServer]:
    try:
        server = MySqlServer(**options).start()
    except Unavailable as reason:
        TESTS_WITHOUT_SERVER.append(str(reason))
        pytest.skip(f"no MySQL server: {reason}")
    try:
        yield server
    finally:
        server.discard()


@pytest.fixture(scope="session")
def mysql_server() -> Iterator[Server]:
    """A server with GTIDs and full row metadata."""
    url = os.environ.get("TAILRACE_TEST_MYSQL_URL")
    if url:
        yield GivenServer(url)
        return
    yield from _started()


@pytest.fixture(scope="session")
def mysql_minimal() -> Iterator[MySqlServer]:
    """A server without GTIDs and with minimal row metadata, as many are in practice."""
    yield from _started(gtid=False, row_metadata="MINIMAL")


@pytest.fixture
def database(mysql_server: Server) -> Iterator[str]:
    """The name of a fresh database on `mysql_server`."""
    name = f"t_{uuid.uuid4().hex[:10]}"
    mysql_server.sql(f"CREATE DATABASE {name}")
    yield name
    mysql_server.sql(f"DROP DATABASE {name}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A suite that passed without its server has not shown much: say so in red."""
    if TESTS_WITHOUT_SERVER:
        terminalreporter.section("TESTS WITH MYSQL WERE SKIPPED", red=True, bold=True)
        terminalreporter.write_line(TESTS_WITHOUT_SERVER[0], red=True)
