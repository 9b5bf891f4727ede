"""A stand-in of Db2's wire over a scripted engine."""

from collections.abc import Iterator

import pytest
from tests.standins.db2.scripted import ScriptedServer

from tailrace_standins.db2.server import StandIn


@pytest.fixture
def scripted() -> ScriptedServer:
    return ScriptedServer()


@pytest.fixture
def server(scripted: ScriptedServer) -> Iterator[StandIn]:
    with StandIn(scripted) as started:
        yield started
