"""The servers that the scenarios are played on, which they have to themselves."""

from collections.abc import Iterator

import pytest
from tests.differential.snapshots.recording import Servers

from tailrace_standins.servers.mysql_server import Unavailable


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """With GTIDs and without; every scenario drops the databases of the one before."""
    try:
        with Servers() as started:
            yield started
    except Unavailable as reason:
        pytest.skip(f"no MySQL server: {reason}")
