"""A real schema registry (Apicurio) that all tests of a run share; a conftest imports the fixture."""

from collections.abc import Iterator

import pytest

from tailrace_standins.servers.apicurio_registry import ApicurioRegistry, Unavailable

WITHOUT_REGISTRY: list[str] = []


@pytest.fixture(scope="session")
def apicurio() -> Iterator[ApicurioRegistry]:
    """A registry with Confluent's API and Apicurio's own."""
    try:
        started = ApicurioRegistry().start()
    except Unavailable as reason:
        WITHOUT_REGISTRY.append(str(reason))
        pytest.skip(f"no schema registry: {reason}")
    try:
        yield started
    finally:
        started.discard()


def told_of_registry(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without it has tried nothing with a real registry: say so in red."""
    if WITHOUT_REGISTRY:
        terminalreporter.section("NO SCHEMA REGISTRY", red=True, bold=True)
        terminalreporter.write_line(WITHOUT_REGISTRY[0], red=True)
