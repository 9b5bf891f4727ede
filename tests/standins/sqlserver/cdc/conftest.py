"""Tests of change data capture: most ask only for what a real server does too, and run on one where a URL names it.

Those that look inside of the stand-in take `inside`, and are skipped there.
"""

import os
from collections.abc import Callable, Iterator

import pytest
from tests.standins.sqlserver.cdc.servers import RealServer, Server, Session, StandInServer

URL = os.environ.get("TAILRACE_TEST_SQLSERVER_URL")


@pytest.fixture
def capture() -> Iterator[Server]:
    """A server with an empty database, whose log is read step by step."""
    made: Server = RealServer(URL) if URL else StandInServer()
    yield made
    made.close()


@pytest.fixture
def inside(capture: Server) -> StandInServer:
    """The stand-in itself, of which the test knows more than a client can."""
    if not isinstance(capture, StandInServer):
        pytest.skip("looks inside of the stand-in")
    return capture


@pytest.fixture
def connect(capture: Server) -> Callable[[], Session]:
    """Further sessions in the same database."""
    return capture.connect


@pytest.fixture
def shop(capture: Server) -> Session:
    """A session in a database with a captured table."""
    client = capture.connect()
    client.run("EXEC sys.sp_cdc_enable_db")
    client.run("CREATE TABLE dbo.orders (id int NOT NULL PRIMARY KEY, item nvarchar(20), note varchar(max))")
    client.run("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'orders', @role_name = NULL")
    capture.quiet()
    capture.step()
    return client
