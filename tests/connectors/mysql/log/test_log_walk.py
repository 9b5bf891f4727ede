"""The decoder over streams put together by hand: what no server here can be made to send."""

import struct
import time

import numpy as np
import pytest
from tests.connectors.mysql.log.streams import (
    Reader,
    event,
    gtid,
    packets,
    placed,
    query,
    rows,
    table_map,
    transaction,
)

from tailrace.connectors.mysql.log import Framing, Heartbeat, Outcome, Query, Stop, tables
from tailrace.errors import LogFormatError

ARTIFICIAL, IGNORABLE = 0x20, 0x80


def read(events, **options):
    return Reader(**{"file": "log.000001", "checksum": False, **options}).read(packets(events))


def test_an_event_of_an_unknown_type_that_may_matter_is_an_error():
    with pytest.raises(LogFormatError, match=r"log\.000001:4: an event of type 99 \(unknown\) can't be read"):
        read([event(99, b"?", end=24)])


def test_an_event_of_an_unknown_type_that_may_be_ignored_is_passed_over():
    reader = read([event(99, b"?", end=24, flags=IGNORABLE), event(3, b"", end=43)])
    assert [type(item) for item in reader.items] == [Stop]
    assert reader.items[0].position == 43


@pytest.mark.parametrize("kind", [20, 21, 22, 160])
def test_row_events_of_old_or_other_servers_are_an_error(kind):
    with pytest.raises(LogFormatError, match=f"type {kind}"):
        read([event(kind, b"", end=23)])


def test_an_incident_is_an_error():
    body = struct.pack("<HB", 1, 9) + b"lost event"[:9]
    with pytest.raises(LogFormatError, match=r"log\.000001:4: the server notes an incident: lost even"):
        read([event(26, body, end=35)])


def test_a_log_of_a_server_before_5_1_16_is_an_error():
    body = struct.pack("<H50sIB", 4, b"5.1.5-beta", 0, 19) + bytes([56, *[6] * 26])
    with pytest.raises(LogFormatError, match=r"server 5\.1\.5-beta is too old"):
        read([event(15, body, end=200)])


def test_a_packet_that_is_no_event_is_an_error():
    with pytest.raises(LogFormatError, match="a packet begins with 05060708"):
        Reader(file="log.000001").read(np.frombuffer(b"\4\0\0\0\5\6\7\x08", np.uint8))


def test_an_event_shorter_than_its_packet_is_an_error():
    with pytest.raises(LogFormatError, match="length does not fit"):
        read([event(3, b"") + b"?"])


@pytest.mark.parametrize("kind", [2, 16, 19, 30, 33, 42])
def test_an_event_too_short_for_its_type_is_an_error(kind):
    with pytest.raises(LogFormatError, match="length does not fit"):
        read([event(kind, b"xxx")])


def test_a_statement_that_ends_before_it_begins_is_an_error():
    with pytest.raises(LogFormatError, match="length does not fit"):
        read([event(2, query("BEGIN", database="a" * 20)[:20])])


def test_positions_go_on_beyond_4_gb():
    start = (1 << 32) - 100
    reader = read(placed(transaction(1), start), pos=start)
    assert reader.rows[0]["start"] > start
    assert reader.transactions[0].end == start + sum(19 + len(body) for _, body in transaction(1)) > 1 << 32
    assert reader.decoder.position == reader.transactions[0].end


def test_an_event_that_ends_exactly_at_4_gb_has_a_position():
    start = (1 << 32) - 19
    assert read(placed([(3, b"")], start), pos=start).decoder.position == 1 << 32


def test_events_made_up_by_the_server_do_not_move_the_position():
    made_up = event(2, query("SET @x = 1"), flags=ARTIFICIAL, end=9999)
    assert read([made_up], pos=500).decoder.position == 500


def test_positions_jump_over_what_the_server_leaves_out():
    events = placed(transaction(1), 1_000_000)
    reader = read(events, pos=4)
    assert reader.transactions[0].start == 1_000_000


def test_a_heartbeat_of_the_second_kind_has_64_bits():
    position = bytes([2, 9, 254]) + struct.pack("<Q", 5 << 32)
    body = bytes([1, 10]) + b"log.000001" + position + bytes([0])
    reader = read([event(41, body)])
    assert isinstance(reader.items[0], Heartbeat)
    assert reader.decoder.position == 5 << 32


@pytest.mark.parametrize("size", [0xFFFFFF - 2, 0xFFFFFF - 1, 0xFFFFFF, 2 * 0xFFFFFF - 1, 2 * 0xFFFFFF + 77])
def test_an_event_of_many_packets_is_put_together(size):
    image = np.arange(size - 19 - 12, dtype=np.uint8).tobytes()
    parts = [
        (33, gtid(1)),
        (2, query("BEGIN")),
        (29, b"\0INSERT"),
        (19, table_map(7, "t")),
        (30, rows(7, image)),
    ]
    reader = read(placed([*parts, (16, b"\1" * 8), *transaction(2)]))
    assert [row["gtid"][-2:] for row in reader.rows] == [":1", ":2"]
    assert len(reader.rows[0]["body"]) == size - 19
    assert reader.rows[0]["body"].endswith(image)
    assert [row["query"] for row in reader.rows] == ["INSERT", None]


def test_the_decoder_says_how_much_a_big_event_needs():
    data = packets(placed([(19, table_map(7, "t")), (30, rows(7, b"x" * (1 << 25)))]))
    reader = Reader(checksum=False)
    rest = reader.feed(data[:1000].copy())
    assert len(reader.rows) == 0
    assert reader.decoder.needed == len(rest) + len(data) - 1000
    assert len(reader.feed(data[len(data) - reader.decoder.needed :].copy())) == 0
    assert len(reader.rows) == 1


def test_a_damaged_big_event_is_an_error():
    data = packets([event(30, b"x" * (1 << 25))]).copy()
    data[0xFFFFFF + 4] = 1
    with pytest.raises(LogFormatError, match="does not fit its packets"):
        Reader(checksum=False).read(data)


def test_rows_of_a_statement_in_a_later_block_know_its_text():
    parts = [(29, b"\0DELETE FROM t"), (19, table_map(7, "t")), (32, rows(7, flags=0)), (32, rows(7))]
    events = placed([(33, gtid(1)), (2, query("BEGIN")), *parts, (32, rows(7)), (16, b"\1" * 8)])
    reader = Reader(checksum=False)
    for one in events:
        reader.feed(packets([one]))
    assert [row["query"] for row in reader.rows] == ["DELETE FROM t", "DELETE FROM t", None]
    assert len({row["transaction"] for row in reader.rows}) == 1


def test_more_servers_than_were_expected():
    uuids = [bytes([n]) * 16 for n in range(1, 41)]
    parts = [
        part for n, uuid in enumerate(uuids) for part in [(33, gtid(n + 1, uuid)), *transaction(n + 1)[1:]]
    ]
    reader = read(placed(parts + parts))
    assert len({row["gtid"] for row in reader.rows}) == 40
    assert [t.origin.uuid.bytes for t in reader.transactions] == uuids + uuids


def test_more_tables_than_were_expected():
    parts = [part for n in range(3000) for part in transaction(n + 1, table_id=n * 1024, name=f"t{n}")]
    reader = read(placed(parts + parts))
    assert [row["table"] for row in reader.rows] == [f"t{n}" for n in range(3000)] * 2
    assert len(reader.maps) == 3000


def test_where_there_are_too_many_tables_none_is_forgotten_within_a_statement(monkeypatch):
    """GIVEN statements that change a table known for long and a new one: both are named before the rows of either."""
    monkeypatch.setattr(tables, "_MOST", 1 << 9)
    parts = [
        part
        for n in range(3000)
        for part in [*transaction(n + 1, name="old")[:3], *transaction(n + 1, 8 + n, f"t{n}")[2:4], *transaction(n + 1)[3:]]
    ]
    reader = Reader(file="log.000001", checksum=False).read(packets(placed(parts)), block=1000)
    assert [row["table"] for row in reader.rows] == [name for n in range(3000) for name in (f"t{n}", "old")]
    assert len(reader.decoder._tables.keys) <= 1 << 12, "and the memory has a limit"


def test_a_table_id_can_come_to_mean_another_table():
    reader = read(placed([*transaction(1), *transaction(2, name="u"), *transaction(3)]))
    assert [row["table"] for row in reader.rows] == ["t", "u", "t"]


def test_a_new_id_of_the_same_table_is_not_asked_for_unless_a_definition_came_between():
    same = [*transaction(1), *transaction(2, table_id=8)]
    assert len(read(placed(same)).maps) == 1
    for sql in ("RENAME TABLE a TO b", "--\nRENAME TABLE a TO b", "a statement that is not known"):
        between = [*transaction(1), (33, gtid(2)), (2, query(sql)), *transaction(3, table_id=8)]
        assert len(read(placed(between)).maps) == 2
    between = [*transaction(1), (33, gtid(2)), (2, query("INSERT INTO a VALUES (1)")), *transaction(3, table_id=8)]
    assert len(read(placed(between)).maps) == 1


def test_gtids_that_were_executed_out_of_order_are_intervals():
    parts = [part for n in (5, 3, 4, 9, 8) for part in transaction(n)]
    reader = read(placed(parts))
    assert [(i.first, i.last) for item in reader.items for i in item.executed] == [(3, 5), (8, 9)]


def test_a_transaction_without_an_end_is_abandoned():
    rotate = (4, struct.pack("<Q", 4) + b"log.000002")
    reader = read(placed([*transaction(1)[:-1], rotate]))
    assert reader.transactions[0].outcome is Outcome.ABANDONED
    assert reader.executed == []
    assert reader.decoder.file == "log.000002"


def test_a_transaction_may_begin_without_a_gtid():
    reader = read(placed(transaction(1)[1:]))
    (ended,) = reader.transactions
    assert (ended.origin, ended.start, ended.begin) == (None, 4, 4)
    assert reader.rows[0]["transaction"] == 4


@pytest.mark.parametrize("begin", ["START TRANSACTION", "begin /* why not */", "/* so */ BEGIN"])
def test_other_ways_to_write_begin_and_commit(begin):
    parts = [(33, gtid(1)), (2, query(begin)), *transaction(1)[2:4], (2, query("commit"))]
    reader = read(placed(parts))
    assert [type(i) for i in reader.items if isinstance(i, Query)] == []
    assert reader.transactions[0].outcome is Outcome.COMMITTED
    assert reader.transactions[0].thread == 5


def test_a_rolled_back_transaction_says_so():
    reader = read(placed([*transaction(1)[:-1], (2, query("ROLLBACK"))]))
    assert reader.transactions[0].outcome is Outcome.ROLLED_BACK
    assert len(reader.rows) == 1


def test_variables_of_statements_and_files_of_load_data_are_passed_over():
    passed = [
        (5, b"x" * 9),
        (13, b"x" * 16),
        (14, b"x" * 20),
        (17, b"x" * 9),
        (9, b"x" * 9),
        (36, b"x"),
        (37, b"x"),
    ]
    assert read(placed(passed)).items == []


def test_a_row_event_without_a_table_only_ends_its_statement():
    parts = [*transaction(1)[:2], (29, b"\0old"), (30, b"\xff" * 6 + b"\1\0\2\0"), *transaction(1)[2:]]
    assert [row["query"] for row in read(placed(parts)).rows] == [None]


def test_a_million_events_take_no_python_each():
    """The walk is compiled: even on a slow machine it is far from the second that Python would need."""
    one = b"".join(placed([*transaction(1)[:2], (29, b"\0x"), *transaction(1)[2:]]))
    block = np.tile(np.frombuffer(one, np.uint8), 20_000)
    reader = Reader(checksum=False, framing=Framing.BARE)
    list(reader.decoder.feed(block, 0, len(one)))
    started = time.process_time()
    runs = [item for _ in range(10) for item in reader.decoder.feed(block, 0, len(block))]
    spent = time.process_time() - started
    assert sum(len(run) for run in runs) == 200_000
    assert spent < 0.5
