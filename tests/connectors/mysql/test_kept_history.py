"""The schema history where reading begins again long before what was delivered: at an XA transaction that is prepared."""

import pytest

from support.mysql_settings import settings_for
from support.reading import Read, begin, read_on
from support.unit_settings import unit_settings
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.kept_history import KeptHistory
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "kept_history"
FILE = "mysql-bin.000003"
A = "aaaaaaaa-0000-0000-0000-000000000001"


def record(pos, gtids=None, ddl="", column="id"):
    position = {"file": FILE, "pos": pos, **({} if gtids is None else {"gtids": gtids})}
    change = {"type": "CREATE", "id": '"d"."t"', "table": {"columns": [{"name": column}]}}
    return {"source": {"server": "dbz"}, "position": position, "databaseName": "d", "ddl": ddl, "tableChanges": [change]}


def kept(given, gtids, *, is_prepared=True):
    restart = RestartPosition(file=FILE, pos=1000, gtids=gtids, is_prepared=is_prepared)
    return KeptHistory(unit_settings(), restart, BinlogPosition(0, 3, 5000), given)


@pytest.mark.parametrize(("before", "then", "again"), [(None, None, None), (f"{A}:1-4", f"{A}:1-6", f"{A}:1-7")])
def test_a_structure_that_the_log_tells_again_is_not_recorded_again(before, then, again):
    given = [record(2000, then), record(3000, again, "ALTER TABLE t ADD w INT")]
    history = kept(given, before)
    assert history.at_restart == []
    new = record(6000, again)
    assert history.save([{**record(2000, again), "ts_ms": 2}, new]) == [new]


def test_one_that_the_history_has_otherwise_is_recorded():
    history = kept([record(2000)], None)
    other = record(2000, column="other")
    assert history.save([other]) == [other]


def test_one_from_before_the_restart_is_known_there():
    given = [record(900), record(2000)]
    assert kept(given, None).at_restart == given[:1]
    assert kept(given, None, is_prepared=False).at_restart == given


@pytest.fixture(scope="module")
def server():
    with MySqlServer(row_metadata="FULL") as started:
        yield started


@pytest.mark.mysql
def test_a_structure_that_only_the_log_knew_stays_before_the_statement_that_altered_it(server):
    """Else a restart after the end of the XA transaction would begin with the structure from before the statement."""
    tables = "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT PRIMARY KEY)"
    server.sql(f"CREATE DATABASE {DATABASE}; USE {DATABASE}; {tables}")
    _, start = begin(server)
    settings = settings_for(server, table_include_list=f"{DATABASE}.(t|u)")
    delivered = str(RestartPosition.from_dict(start.progress.restart).position)
    read = Read(Progress(delivered, start.progress.restart), [])  # its history is lost
    server.sql("XA START 'x'; INSERT INTO t VALUES (1); XA END 'x'; XA PREPARE 'x'", DATABASE)
    server.sql("INSERT INTO u VALUES (1); ALTER TABLE u ADD w INT DEFAULT 7; INSERT INTO u VALUES (2, 3)", DATABASE)
    read_on(settings, read)
    assert read.progress.restart["is_prepared"]
    read_on(settings, read)
    server.sql("XA COMMIT 'x'")
    read_on(settings, read)
    of_u = [each for each in read.history for change in each["tableChanges"] if change["id"] == f'"{DATABASE}"."u"']
    assert [each["ddl"].partition(" ")[0] for each in of_u] == ["", "ALTER"]
