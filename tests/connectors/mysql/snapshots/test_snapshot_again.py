"""A new snapshot that replaces progress: its place in the order of positions, and whether one is needed."""

import pytest

from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import keyed, linear, taken
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import PositionLostError

NO_SCHEMAS = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False}
HERE = RestartPosition(file="binlog.000007", pos=500)


@pytest.mark.parametrize(
    ("others", "era"),
    [
        ([], 0),
        ([BinlogPosition(0, 7, 500)], 0),
        ([BinlogPosition(3, 7, 499, 10)], 3),
        ([BinlogPosition(3, 7, 500, 1)], 4),
        ([BinlogPosition(0, 3, 4), BinlogPosition(2, 9, 4)], 3),
    ],
)
def test_a_position_gets_an_era_in_which_it_does_not_sort_before_others(others, era):
    placed = HERE.not_before(others)
    assert placed == evolve_era(HERE, era)
    assert all(str(other) <= str(placed.position) for other in others)


def evolve_era(position, era):
    return RestartPosition.from_dict({**position.to_dict(), "era": era})


@pytest.fixture
def settings(mysql_server, database):
    return settings_for(mysql_server, database_include_list=database, snapshot_mode="always", **NO_SCHEMAS)


@pytest.mark.mysql
def test_it_is_of_a_later_position_and_the_log_goes_on_from_there(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1), (2, 2)", database)
    first = read_on(settings, taken(settings).then())
    mysql_server.sql("UPDATE t SET v = 9 WHERE id = 1; INSERT INTO t VALUES (3, 3); DELETE FROM t WHERE id = 2", database)
    ahead = Progress(str(BinlogPosition(4, 999_999, 4)), first.progress.restart)
    for after, era in ((first.progress, 0), (ahead, 5)):
        again = taken(settings, after=(after,))
        assert again.progress.delivered >= after.delivered
        assert RestartPosition.from_dict(again.progress.restart).era == era
        topic = f"test.{database}.t"
        assert again.rows(topic) == [{"id": 1, "v": 9}, {"id": 3, "v": 3}]
        mysql_server.sql("UPDATE t SET v = v + 1", database)
        read = read_on(settings, again.then())
        assert read.progress.delivered > again.progress.delivered
        linear(keyed(again.topics[topic]), keyed(read.topics[topic]))
        mysql_server.sql("UPDATE t SET v = v - 1", database)


@pytest.mark.mysql
def test_whether_the_log_reaches_back_is_told_before_it_is_read(mysql_server, database, settings):
    connector = MySqlConnector(settings)
    point = connector.start_point()
    connector.require_retained(Progress("", point.restart))
    without_gtids = {**point.restart, "gtids": None, "file": "binlog.999999"}
    with pytest.raises(PositionLostError, match=r"does not have the log file binlog\.999999 any more"):
        connector.require_retained(Progress("", without_gtids))
