"""What each lane is to the server: a replica with a number and a UUID of its own."""

import time

import pytest
from attrs import evolve

from support.mysql_settings import settings_for
from support.unit_settings import unit_settings
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.stream import HIGHEST_SERVER_ID, BinlogStream, DumpPosition, Options
from tailrace.errors import ConfigError

QUICK = {"heartbeat_ms": 50}


def test_a_lane_beyond_the_highest_server_id_is_refused():
    settings = unit_settings({"database.server.id": HIGHEST_SERVER_ID})
    with pytest.raises(ConfigError, match=r"database.server.id: lane 1 would be server 4294967296"):
        BinlogStream(settings, DumpPosition(), Options(lane=1))


@pytest.mark.mysql
def test_a_lane_does_not_end_the_dump_of_a_connector_with_the_next_number(mysql_server):
    settings = settings_for(mysql_server)
    next_one = evolve(settings, database_server_id=settings.database_server_id + 1)
    with connection.connect(settings) as session:
        head = catalog.head(session, catalog.server(session))
    start = DumpPosition(head.file, head.pos)
    with BinlogStream(next_one, start, Options(**QUICK)) as other, BinlogStream(settings, start, Options(**QUICK, lane=1)) as lane:
        assert other.server_id == lane.server_id
        buffer = memoryview(bytearray(1 << 16))
        until = time.monotonic() + 0.5  # ten heartbeats: a dump that was ended raises
        while time.monotonic() < until:
            assert other.read(buffer, 200) + lane.read(buffer, 200) > 0
