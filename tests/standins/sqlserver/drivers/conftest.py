"""What the tests with drivers say at the end."""

import pytest
from tests.standins.sqlserver.drivers.installed import MISSING


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Without its drivers the stand-in has been shown to nobody: say so in red."""
    if MISSING:
        terminalreporter.section("TESTS WITH DRIVERS OF SQL SERVER WERE SKIPPED", red=True, bold=True)
        for reason in dict.fromkeys(MISSING):
            terminalreporter.write_line(reason, red=True)
