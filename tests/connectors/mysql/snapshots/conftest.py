"""A connection to the server as those have it who read a snapshot."""

import pytest

from tailrace.connectors.mysql.snapshots.statements import prepare


@pytest.fixture
def connection(connection):
    prepare(connection)
    return connection
