"""Fixtures of the comparison with real Debezium."""

from collections.abc import Iterator

import pytest
from tests.differential.jars import UnavailableError as NoDebezium
from tests.differential.jars import debezium_jars, java_home
from tests.differential.runs import Bench

from tailrace_standins.servers.mysql_server import Unavailable as NoServer

WITHOUT_DEBEZIUM: list[str] = []


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """Servers with the history in their logs, Debezium's jars and Java."""
    try:
        java_home()
        debezium_jars()
    except NoDebezium as reason:
        WITHOUT_DEBEZIUM.append(str(reason))
        pytest.skip(f"no Debezium: {reason}")
    try:
        with Bench() as made:
            yield made
    except NoServer as reason:
        pytest.skip(f"no MySQL server: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without Debezium has compared nothing: say so in red."""
    if WITHOUT_DEBEZIUM:
        terminalreporter.section("NOTHING WAS COMPARED WITH DEBEZIUM", red=True, bold=True)
        terminalreporter.write_line(WITHOUT_DEBEZIUM[0], red=True)
