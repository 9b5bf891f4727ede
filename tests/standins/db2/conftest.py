"""A stand-in of Db2's wire over a scripted engine, and the engine by itself."""

from collections.abc import Iterator

import pytest
from tests.standins.db2.scripted import ScriptedServer

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.server import StandIn


@pytest.fixture
def scripted() -> ScriptedServer:
    return ScriptedServer()


@pytest.fixture
def server(scripted: ScriptedServer) -> Iterator[StandIn]:
    with StandIn(scripted) as started:
        yield started


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.close()


@pytest.fixture
def session(engine: Engine) -> EngineSession:
    return engine.session()


@pytest.fixture
def replication(engine: Engine) -> Iterator[Replication]:
    made = Replication(engine)
    yield made
    made.close()
