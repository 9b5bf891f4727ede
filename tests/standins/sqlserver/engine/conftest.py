from collections.abc import Iterator

import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine(password="secret")
    made.create_database("shop")
    yield made
    made.close()


@pytest.fixture
def a(engine: Engine) -> Client:
    return Client(engine)


@pytest.fixture
def b(engine: Engine) -> Client:
    return Client(engine)
