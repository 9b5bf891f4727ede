"""Where lanes of MySQL can meet: decided by their progress, and on a server found in the log."""

import pytest

from support.reading import SMALL_BLOCK, batches, begin, fresh, read_on
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.mysql.common_boundary import common_boundary
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector

HERE = {"file": "b.000003", "pos": 700, "gtids": "u:1-7", "server_uuid": "u"}
BEHIND = {"file": "b.000003", "pos": 900}


def lane(delivered_pos, row=0, **restart):
    return Progress(str(BinlogPosition(restart.get("era", 0), 3, delivered_pos, row)), {**HERE, **restart})


def next_boundary(start):
    assert start == HERE
    return BEHIND


def test_a_farthest_lane_that_stands_at_a_boundary_is_met_there():
    assert common_boundary([lane(300, pos=300), lane(700)], next_boundary) == HERE
    assert common_boundary([lane(300, pos=300), lane(700, row=3)], next_boundary) == HERE  # structures were told there


def test_within_a_transaction_its_end_is_looked_for_in_the_log():
    within = lane(760, open_gtid="u:8", open_rows=4)
    assert common_boundary([lane(300, pos=300), within], next_boundary) == BEHIND


def test_the_farthest_is_the_one_of_the_last_era():
    assert common_boundary([lane(900, pos=900), lane(700, era=1)], next_boundary) == {**HERE, "era": 1}


def test_on_one_server_the_place_decides_and_the_boundary_has_the_highest_era():
    """A lane that saw its server replaced and come back counts two eras more of the same log."""
    came_back, stayed = lane(300, pos=300, era=2, file_created=5), lane(700, file_created=5)
    assert common_boundary([came_back, stayed], next_boundary) == {**HERE, "era": 2, "file_created": 5}


def test_a_log_that_began_again_on_the_server_comes_after_the_one_before():
    before, again = lane(900, pos=900, file_created=5), lane(700, era=1, file_created=8)
    assert common_boundary([before, again], next_boundary) == {**HERE, "era": 1, "file_created": 8}


@pytest.mark.parametrize(
    "restart", [{"is_prepared": True}, {"initial": True}, {"skip_gtid": "u:8", "skip_rows": 1}, {"skip_events": 3}]
)
def test_where_the_restart_position_does_not_tell_how_far_a_lane_is_nothing_is_known(restart):
    assert common_boundary([lane(760, **restart), lane(300, pos=300)], next_boundary) is None


@pytest.mark.mysql
@pytest.mark.parametrize("server_name", ["mysql_server", "mysql_minimal"])
def test_lanes_that_stopped_anywhere_read_to_it_and_stand_alike(server_name, request):
    server = request.getfixturevalue(server_name)
    database = f"meet_{server_name}"
    server.sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}")
    for table in "abc":
        server.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v VARCHAR(200))", database)
    settings, start = begin(server, database_include_list=database)
    for n in range(6):
        rows = ", ".join(f"({100 * n + i}, REPEAT('x', 100))" for i in range(12))
        server.sql(f"BEGIN; {'; '.join(f'INSERT INTO {t} VALUES {rows}' for t in 'abc')}; COMMIT", database)
        server.sql("FLUSH BINARY LOGS" if n == 3 else "DO 1")
    connector = MySqlConnector(settings)
    met = set()
    for stopped in range(1, 26):
        ahead = fresh(start)
        reader = batches(settings, ahead, connector.head(), lane=Lane(0, 2), block_bytes=SMALL_BLOCK)
        for _, batch in zip(range(stopped), reader, strict=False):
            ahead.take(batch)
        reader.close()
        until = connector.common_boundary([ahead.progress, start.progress])
        reads = [read_on(settings, fresh(each), until, lane=Lane(n, 2)) for n, each in enumerate((ahead, start))]
        assert reads[0].progress == reads[1].progress, stopped
        assert BinlogPosition.parse(reads[0].progress.delivered) == BinlogPosition.parse(reads[1].progress.delivered)
        met.add((until["file"], until["pos"]))
    assert len(met) > 2, "and not only at the head"
    server.sql(f"DROP DATABASE {database}")


@pytest.mark.mysql
@pytest.mark.parametrize("ahead", [0, 1])
def test_lanes_that_count_different_eras_of_one_log_can_meet(mysql_server, database, ahead):
    mysql_server.sql("CREATE TABLE a (id INT PRIMARY KEY)", database)
    settings, start = begin(mysql_server, database_include_list=database)
    reads = [fresh(start), fresh(start)]
    mysql_server.sql("INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)", database)
    read_on(settings, reads[ahead], lane=Lane(ahead, 2))
    came_back = RestartPosition.from_dict({**reads[0].progress.restart, "era": 2})
    reads[0].progress = Progress(str(came_back.position), came_back.to_dict())
    until = MySqlConnector(settings).common_boundary([read.progress for read in reads])
    for number, read in enumerate(reads):
        read_on(settings, read, until, lane=Lane(number, 2))
    assert reads[0].progress.is_at_same_position(reads[1].progress)
    assert reads[0].progress.restart["era"] == 2
    mysql_server.sql("INSERT INTO a VALUES (3)", database)
    told = [read_on(settings, fresh(read), lane=Lane(n, 2)).topics for n, read in enumerate(reads)]
    assert [topic for topics in told for topic in topics] == [f"test.{database}.a"]
