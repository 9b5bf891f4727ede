"""The decoder over streams that a real server sent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.connectors.mysql.log.streams import NAMES, Reader, events_of, packets, recorded

from tailrace.connectors.mysql.log import (
    EndOfLog,
    FormatDescription,
    Framing,
    Heartbeat,
    Outcome,
    PreviousGtids,
    Query,
    QueryKind,
    Rotate,
    RowEvents,
    ServerError,
    XaCommit,
    XaPrepare,
    XaRollback,
    payload,
)
from tailrace.errors import LogFormatError


def read(name, **options):
    return Reader(verify_checksum=True, **options).read(recorded(name))


def singles(reader, kind):
    return [item for item in reader.items if isinstance(item, kind)]


def test_rows_come_with_their_table_statement_and_transaction():
    row = read("gtid-crc-full").rows[1]
    assert (row["table"], row["kind"], row["query"]) == (
        "a",
        31,
        "UPDATE logs.a SET name = 'zwei' WHERE id = 2",
    )
    assert row["gtid"].count("-") == 4
    assert row["flags"] & 1
    assert row["thread"] > 0


def test_what_was_rolled_back_to_a_savepoint_or_whole_gives_no_rows():
    queries = [row["query"] for row in read("gtid-crc-full").rows]
    assert not any("four" in q or "nine" in q for q in queries)
    assert any("three" in q for q in queries)


def test_transactions_end_where_the_next_begins():
    transactions = read("gtid-crc-full").transactions
    assert {t.outcome for t in transactions} == {Outcome.COMMITTED}
    assert transactions[0].end == transactions[1].start
    assert transactions[0].begin > transactions[0].start
    assert all(t.immediate_us == t.original_us > 0 for t in transactions)
    assert [t.sequence for t in transactions] == sorted(t.sequence for t in transactions)


def test_a_transaction_of_an_engine_without_transactions_ends_with_commit_and_no_xid():
    rows = [r for r in read("gtid-crc-full").rows if r["table"] == "old"]
    ended = {t.gtid: t for t in read("gtid-crc-full").transactions}
    assert ended[rows[0]["gtid"]].xid == 0
    assert ended[rows[0]["gtid"]].outcome is Outcome.COMMITTED


def test_every_gtid_of_the_file_is_executed_once():
    reader = read("gtid-crc-full")
    (before,) = singles(reader, PreviousGtids)
    last = next(i.last for i in before.intervals if not i.origin.tag)
    numbers = [number for _, number in reader.executed]
    assert numbers == list(range(last + 1, last + 1 + len(numbers)))


def test_statements_come_between_the_rows_before_and_after_them():
    reader = read("gtid-crc-full")
    story = [
        item.sql.split()[0] if isinstance(item, Query) else item["table"]
        for item in reader.story
        if is_told(item)
    ]
    at = story.index("ALTER")
    assert story[at - 1] == "old"
    assert story[at + 1] == "a"
    assert reader.rows[5]["columns"] == 1
    assert reader.rows[6]["columns"] == 4


def is_told(item):
    return isinstance(item, Query | dict)


def test_a_changed_table_is_asked_for_after_the_rows_before_the_change():
    reader = read("gtid-crc-full")
    names = [table.table for table in reader.maps]
    assert names[:4] == ["a", "b", "old", "a"]
    assert reader.asked_after[:3] == [0, 0, 0]
    assert reader.asked_after[3] == 6


def test_a_definition_says_in_which_session_it_ran():
    definition = next(q for q in singles(read("gtid-crc-full"), Query) if q.sql.startswith("ALTER"))
    assert definition.kind is QueryKind.DEFINITION
    assert definition.charset == definition.default_collation_for_utf8mb4 == 255
    assert definition.ddl_xid > 0
    assert definition.error_code == 0
    assert definition.sql_mode & 1 << 21  # STRICT_TRANS_TABLES
    assert definition.transaction.outcome is Outcome.COMMITTED
    assert definition.restart == definition.position == definition.transaction.end


def test_create_table_as_select_stands_inside_its_transaction():
    reader = read("gtid-crc-full")
    create = next(q for q in singles(reader, Query) if "copy" in q.sql)
    assert create.transaction.outcome is Outcome.OPEN
    assert create.executed == ()
    assert create.restart == create.transaction.start < create.start
    row = next(r for r in reader.rows if r["table"] == "copy")
    assert row["transaction"] == create.transaction.start


def test_xa_rows_come_before_the_prepare_and_count_with_the_commit():
    reader = read("gtid-crc-full")
    kinds = [type(i) for i in reader.items if isinstance(i, XaPrepare | XaCommit | XaRollback)]
    assert kinds == [XaPrepare, XaCommit, XaPrepare, XaRollback, XaPrepare]
    first, commit, _, undo, at_once = (
        i for i in reader.items if isinstance(i, XaPrepare | XaCommit | XaRollback)
    )
    assert str(first.xid) == "X'7831',X'62',7"
    assert first.xid == commit.xid
    assert first.transaction.outcome is Outcome.PREPARED
    assert undo.transaction.outcome is Outcome.ROLLED_BACK
    assert at_once.one_phase
    assert at_once.transaction.outcome is Outcome.COMMITTED
    row = next(r for r in reader.rows if r["query"].endswith("'prepared, committed', 1)"))
    assert row["gtid"] == first.transaction.gtid != commit.transaction.gtid
    runs = [r for r in singles(reader, RowEvents) if len(r) and r.transactions.xa[r.transaction[0]]]
    assert len(runs) == 3


@pytest.mark.parametrize("checksum", [None, True, False])
def test_the_log_itself_says_whether_there_are_checksums(checksum):
    stripped = packets(events_of(recorded("gtid-stripped"))[1:])  # without the fake rotate
    whole = read("gtid-stripped")
    reader = Reader(checksum=checksum, file=whole.rows[0]["file"]).read(stripped)
    assert reader.rows == whole.rows


def test_a_log_without_checksums_gtids_and_names():
    reader = read("plain-minimal")
    assert singles(reader, FormatDescription)[0].checksum is False
    assert singles(reader, FormatDescription)[0].created > 1_500_000_000  # of its header, wherever a dump begins
    assert {row["gtid"] for row in reader.rows} == {None}
    assert {row["query"] for row in reader.rows} == {None}
    assert not any(table.has_names for table in reader.maps)
    assert [row["table"] for row in reader.rows][:6] == ["a", "a", "a", "a", "b", "old"]
    assert reader.executed == []
    assert all(t.origin is None and t.gtid is None and t.immediate_us for t in reader.transactions)


def test_events_of_a_compressed_transaction_share_its_position_and_are_counted():
    reader = read("compressed")
    packed = [row for row in reader.rows if "n = n + 1" in row["query"] or "[1, 2]" in row["query"]]
    assert packed[0]["start"] == packed[1]["start"]
    assert [row["part"] for row in packed] == [0, 1]
    assert [row["kind"] for row in packed] == [31, 30]
    ended = next(t for t in reader.transactions if t.gtid == packed[0]["gtid"])
    assert ended.end > packed[0]["start"]
    assert ended.xid > 0


def test_compressed_and_plain_transactions_follow_each_other():
    assert [row["query"].split("'")[1] for row in read("compressed").rows[-2:]] == ["plain", "packed"]


@pytest.mark.parametrize("piece", [80, 200, 400, 100_000])
def test_a_compressed_transaction_gives_the_same_piece_by_piece(monkeypatch, piece):
    whole = read("compressed").result
    monkeypatch.setattr(payload, "PIECE", piece)
    assert read("compressed").result == whole


@pytest.mark.parametrize("piece", [80, 200, 8 << 20])
@pytest.mark.parametrize("name", ["compressed", "gtid-crc-full", "plain-minimal"])
def test_reading_begins_again_at_the_start_of_the_open_transaction_or_behind_the_last(
    monkeypatch, name, piece
):
    monkeypatch.setattr(payload, "PIECE", piece)
    for run in singles(read(name), RowEvents):
        last = run.transactions[len(run.transactions) - 1]
        assert run.restart == (last.end or last.start)
        assert run.position >= run.restart


def test_tags_are_part_of_gtids():
    reader = read("tagged")
    tags = [row["gtid"].split(":")[1] for row in reader.rows]
    assert tags == ["blue", "blue", "a_tag_of_32_characters_012345678"]
    (create,) = singles(reader, Query)
    assert create.transaction.origin.tag == "blue"
    numbers = [number for origin, number in reader.executed if origin.endswith(":blue")]
    assert numbers == list(range(numbers[0], numbers[0] + 3))
    assert {(t.immediate_us > 0, t.sequence > 0) for t in reader.transactions} == {(True, True)}


def test_tagged_gtids_stand_among_the_previous_ones():
    (before,) = singles(read("statements"), PreviousGtids)
    assert {i.origin.tag for i in before.intervals} == {"", "blue", "a_tag_of_32_characters_012345678"}


def test_changes_by_statement_are_seen():
    reader = read("statements")
    statements = singles(reader, Query)
    assert {q.kind for q in statements} == {QueryKind.DATA}
    assert [q.sql.split()[0] for q in statements] == ["INSERT", "INSERT", "UPDATE"]
    assert {q.transaction.outcome for q in statements} == {Outcome.OPEN}
    assert len(reader.transactions) == 2
    assert reader.rows == []


def test_a_partial_update_is_a_row_event_of_its_own_kind():
    assert [row["kind"] for row in read("partial-json").rows] == [31, 39]


def test_the_log_goes_on_in_the_next_file():
    reader = read("rotated")
    assert [r.made_up for r in singles(reader, Rotate)] == [True, False, True]
    first, second = reader.rows
    assert first["file"] < second["file"]
    assert isinstance(reader.items[-1], EndOfLog)
    assert reader.items[-1].position == reader.transactions[-1].end
    assert len(reader.maps) == 1  # the same table in the same structure: not asked for again


def test_a_heartbeat_says_where_the_server_stands():
    reader = read("heartbeat")
    (before,) = singles(reader, PreviousGtids)
    assert [h.position for h in singles(reader, Heartbeat)] == [before.position] * 2


def test_an_error_of_the_server_is_an_item():
    (error,) = read("error").items
    assert isinstance(error, ServerError)
    assert (error.code, error.sqlstate) == (1236, "HY000")
    assert "Could not find first log file" in error.message


def test_tables_that_nobody_wants_are_left_out():
    reader = read("gtid-crc-full", wanted=lambda name: name == "b")
    assert {row["table"] for row in reader.rows} == {"b"}
    assert len(reader.transactions) == len(read("gtid-crc-full").transactions)
    assert len(reader.executed) == len(read("gtid-crc-full").executed)


def test_a_file_reads_like_the_stream():
    events = events_of(recorded("gtid-crc-full"))[1:]
    file = np.frombuffer(b"\xfebin" + b"".join(events), np.uint8)
    stream = read("gtid-crc-full")
    reader = Reader(framing=Framing.FILE, file=stream.rows[0]["file"]).read(file)
    assert reader.rows == stream.rows
    assert reader.transactions == stream.transactions


def test_something_else_is_no_binlog_file():
    with pytest.raises(LogFormatError, match="other is no binlog file"):
        Reader(framing=Framing.FILE, file="other").read(np.zeros(100, np.uint8))


def test_reading_can_begin_at_any_restart_position():
    stream = recorded("gtid-crc-full")
    events = events_of(stream)
    description, file = events[1], read("gtid-crc-full").rows[0]["file"]
    whole = read("gtid-crc-full")
    for item in whole.items[3:-1]:
        later = [e for e in events[2:] if int.from_bytes(e[13:17], "little") - len(e) >= item.restart]
        made_up = description[:13] + bytes(4) + description[17:]
        reader = Reader(file=file, pos=item.restart).read(packets([made_up, *later]))
        assert reader.rows == [r for r in whole.rows if r["transaction"] >= item.restart]


def test_rows_of_a_table_that_was_not_named_are_an_error():
    events = [e for e in events_of(recorded("gtid-crc-full")) if e[4] != 19]
    with pytest.raises(LogFormatError, match=r"mysql-bin\.0000\d\d:\d+: rows of table number \d+"):
        Reader().read(packets(events))


@pytest.mark.parametrize("name", NAMES)
@given(block=st.integers(1, 700))
@settings(max_examples=25, deadline=None)
def test_the_cut_into_blocks_changes_nothing(name, block):
    whole = read(name).result
    assert Reader(verify_checksum=True).read(recorded(name), block).result == whole


@given(at=st.integers(0, 1 << 20), bit=st.integers(0, 7))
@settings(max_examples=200, deadline=None)
def test_a_flipped_bit_in_an_event_is_an_error(at, bit):
    events = [bytearray(e) for e in events_of(recorded("compressed"))]
    damaged = events[2 + at % (len(events) - 2)]
    damaged[at % len(damaged)] ^= 1 << bit
    with pytest.raises(LogFormatError, match=r"mysql-bin\.0000\d\d:\d+: "):
        Reader(verify_checksum=True).read(packets(events))
