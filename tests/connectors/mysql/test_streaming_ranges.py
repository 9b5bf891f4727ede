"""Ranges of the log: joined they are the whole, and read again they are the same."""

import pytest

from support.mysql_settings import settings_for
from support.reading import NOW_US, begin, fresh, read_on
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import PositionLostError
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "ranges"
TOPIC = f"test.{DATABASE}.t"


@pytest.fixture(scope="module", params=[True, False], ids=["gtid", "nogtid"])
def server(request):
    with MySqlServer(gtid=request.param) as started:
        started.sql(f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (id INT AUTO_INCREMENT PRIMARY KEY, v TEXT)")
        yield started


@pytest.fixture
def played(server):
    settings, start = begin(server, table_include_list=f"{DATABASE}.t", provide_transaction_metadata=True)
    for number in range(30):
        server.sql(f"INSERT INTO t (v) VALUES ('{number}'), (REPEAT('y', 300))", DATABASE)
        if number in (7, 8, 20):
            server.sql("FLUSH BINARY LOGS")
    return settings, start


def boundaries(settings, start, limit):
    connector = MySqlConnector(settings)
    found, head = [start], connector.head()
    while found[-1] != head:
        found.append(connector.range_end(found[-1], head, limit))
        assert len(found) < 100
    return found


@pytest.mark.mysql
@pytest.mark.parametrize("limit", [1, 2000, 9000, 1 << 30])
def test_ranges_joined_equal_the_whole(played, limit):
    settings, start = played
    whole = read_on(settings, fresh(start))
    places = boundaries(settings, dict(start.progress.restart), limit)
    joined = fresh(start)
    for end in places[1:]:
        read_on(settings, joined, until=end)
        assert RestartPosition.from_dict(end).to_dict() == joined.progress.restart
        assert str(RestartPosition.from_dict(end).position) <= joined.progress.delivered
    assert joined.topics == whole.topics
    assert joined.progress.restart == whole.progress.restart
    if limit == 1:
        assert len(places) > 5
    if limit == 1 << 30:
        assert len(places) == 2


@pytest.mark.mysql
def test_a_cut_lies_at_most_about_the_limit_further(played):
    settings, start = played
    places = boundaries(settings, dict(start.progress.restart), 3000)
    for one, other in zip(places, places[1:], strict=False):
        if one["file"] == other["file"]:
            assert other["pos"] - one["pos"] < 3000 + 4096 + 1500


@pytest.mark.mysql
def test_a_range_read_again_gives_the_same_records_and_progress(played):
    settings, start = played
    end = boundaries(settings, dict(start.progress.restart), 5000)[2]
    one, other = (read_on(settings, fresh(start), until=end, now_us=NOW_US, block_bytes=size) for size in (1 << 20, 700))
    assert one.topics == other.topics
    assert one.progress == other.progress


@pytest.mark.mysql
def test_what_is_written_while_a_range_is_read_stays_for_the_next(played, server):
    settings, start = played
    end = MySqlConnector(settings).head()
    before = server.sql(f"SELECT COUNT(*) FROM {DATABASE}.t")[0][0]
    server.sql("INSERT INTO t (v) VALUES ('late')", DATABASE)
    read = read_on(settings, fresh(start), until=end)
    assert all(value["after"]["v"] != "late" for value in read.payloads(TOPIC))
    rest = read_on(settings, fresh(read))
    assert [value["after"]["v"] for value in rest.payloads(TOPIC)] == ["late"]
    assert before > 0


@pytest.mark.mysql
def test_the_newest_position_is_given_in_the_count_of_eras_of_the_start(played):
    settings, start = played
    connector = MySqlConnector(settings)
    later = {**start.progress.restart, "era": 3}
    assert connector.head_after(later, None)["era"] == 3
    assert connector.head_after(later, 1)["era"] == 3
    assert connector.head_after(later, 1)["pos"] > later["pos"]


@pytest.mark.mysql
def test_an_end_on_another_server_is_refused_before_a_history_is_written(played, server, tmp_path):
    """GIVEN no history, and the mode that builds one, WHEN the end says nothing here, THEN none of this server is kept."""
    file = tmp_path / "history.jsonl"
    settings = settings_for(
        server,
        table_include_list=f"{DATABASE}.t",
        snapshot_mode="recovery",
        schema_history_internal="io.debezium.storage.file.history.FileSchemaHistory",
        schema_history_internal_file_filename=file,
    )
    read = fresh(played[1])
    read.history.clear()
    elsewhere = {**MySqlConnector(settings).head(), "server_uuid": "another", "gtids": None}
    with pytest.raises(PositionLostError, match="one server's files say nothing about another's"):
        read_on(settings, read, elsewhere)
    assert not file.exists()
    read_on(settings, read)
    assert file.exists()
