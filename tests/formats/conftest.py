"""Fixtures: real parts of Kafka Connect, in a child process that all tests of a run share."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import pytest
from tests.differential.jars import UnavailableError
from tests.formats.connect_parts import ConnectParts

from tailrace_standins.servers.connect_jars import connect_jars
from tailrace_standins.servers.debezium_server_jars import APICURIO, CONFLUENT, SCRIPTING, debezium_server_jars
from tailrace_standins.servers.java_jars import Unavailable

PARTS = (CONFLUENT, APICURIO, SCRIPTING)
WITHOUT_PARTS: list[str] = []


@pytest.fixture(scope="session")
def connect_parts() -> Iterator[ConnectParts]:
    """Kafka's and Debezium's transforms and converters."""
    yield from _started(connect_jars)


@pytest.fixture(scope="session")
def server_parts() -> Iterator[ConnectParts]:
    """The same, with what only Debezium Server's large archive has: converters for registries, and scripts in Groovy."""
    yield from _started(lambda: [*connect_jars(), *chain.from_iterable(map(debezium_server_jars, PARTS))])


def _started(jars: Callable[[], Sequence[Path]]) -> Iterator[ConnectParts]:
    try:
        parts = ConnectParts(jars())
    except (Unavailable, UnavailableError) as reason:
        WITHOUT_PARTS.append(str(reason))
        pytest.skip(f"no parts of Kafka Connect: {reason}")
    with parts:
        yield parts


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without them has compared nothing: say so in red."""
    if WITHOUT_PARTS:
        terminalreporter.section("NOTHING WAS COMPARED WITH KAFKA CONNECT", red=True, bold=True)
        terminalreporter.write_line(WITHOUT_PARTS[0], red=True)
