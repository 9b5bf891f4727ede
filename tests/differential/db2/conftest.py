"""Fixtures of the comparison with real Debezium's Db2 connector."""

import pytest
from tests.differential.conftest import WITHOUT_DEBEZIUM
from tests.differential.jars import DB2, UnavailableError, debezium_jars, java_home

from tailrace_standins.servers.db2_server import Unavailable, driver


@pytest.fixture
def with_debezium() -> None:
    """Java and Debezium's jars."""
    try:
        java_home()
        debezium_jars(DB2)
    except UnavailableError as reason:
        WITHOUT_DEBEZIUM.append(str(reason))
        pytest.skip(f"no Debezium: {reason}")


@pytest.fixture
def with_driver() -> None:
    """A driver for the stand-in."""
    try:
        driver()
    except Unavailable as reason:
        pytest.skip(f"no Db2: {reason}")
