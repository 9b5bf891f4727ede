"""A connection to the server, prepared like that of a snapshot reader."""

import pytest

from tailrace.connectors.mysql.snapshots.statements import prepare


@pytest.fixture
def connection(connection):
    prepare(connection)
    return connection
