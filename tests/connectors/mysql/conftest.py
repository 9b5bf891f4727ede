"""A connection to the server that these tests share."""

import pytest

from support.mysql_settings import settings_for
from tailrace.connectors.mysql.connection import connect


@pytest.fixture
def connection(mysql_server):
    opened = connect(settings_for(mysql_server))
    yield opened
    opened.close()
