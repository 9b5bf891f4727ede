from collections.abc import Iterator

import pytest
from tests.standin.sqlserver.engine.client import Client

from tailrace.standin.sqlserver.cdc import ChangeDataCapture, install
from tailrace.standin.sqlserver.engine.server import Engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine(password="secret")
    made.create_database("shop")
    yield made
    made.close()


@pytest.fixture
def capture(engine: Engine) -> ChangeDataCapture:
    return install(engine, automatic=False)


@pytest.fixture
def shop(engine: Engine, capture: ChangeDataCapture) -> Client:
    client = Client(engine)
    client.run("EXEC sys.sp_cdc_enable_db")
    client.run("CREATE TABLE dbo.orders (id int NOT NULL PRIMARY KEY, item nvarchar(20), note varchar(max))")
    client.run("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'orders', @role_name = NULL")
    capture.step("shop")
    return client
