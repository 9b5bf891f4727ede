from collections.abc import Iterator

import pytest
from tests.differential.jars import SQL_SERVER, UnavailableError, debezium_jars, java_home
from tests.standins.sqlserver.debezium.shop import Shop, opened

WITHOUT_DEBEZIUM: list[str] = []


@pytest.fixture
def shop() -> Iterator[Shop]:
    try:
        java_home()
        debezium_jars(SQL_SERVER)
    except UnavailableError as reason:
        WITHOUT_DEBEZIUM.append(str(reason))
        pytest.skip(f"no Debezium: {reason}")
    with opened() as made:
        yield made


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Without Debezium the stand-in has not been shown to whom it is made for: say so in red."""
    if WITHOUT_DEBEZIUM:
        terminalreporter.section("DEBEZIUM DID NOT READ THE SQL SERVER STAND-IN", red=True, bold=True)
        terminalreporter.write_line(WITHOUT_DEBEZIUM[0], red=True)
