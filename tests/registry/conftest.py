"""Fixtures: a real schema registry, and a small one that can be told to fail."""

from collections.abc import Iterator

import pytest
from tests.support.fake_registry import FakeRegistry
from tests.support.registries import apicurio, told_of_registry

__all__ = ["apicurio"]


@pytest.fixture
def fake() -> Iterator[FakeRegistry]:
    """A registry with Confluent's API, in this process."""
    with FakeRegistry() as started:
        yield started


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told_of_registry(terminalreporter)
