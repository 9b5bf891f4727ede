"""What tests of the wire share: an engine that answers as it is told, and a stand-in over it."""

from collections.abc import Iterator

import pytest
from tests.standins.sqlserver.scripted import ScriptedServer

from tailrace_standins.sqlserver.server import StandIn


@pytest.fixture
def scripted() -> ScriptedServer:
    return ScriptedServer()


@pytest.fixture
def server(scripted: ScriptedServer) -> Iterator[StandIn]:
    with StandIn(scripted) as started:
        yield started
