"""Positions, their text and their Debezium form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connectors.mysql.positions import (
    BinlogPosition,
    RestartPosition,
    file_base,
    file_name,
    file_number,
)
from tailrace.errors import ProgressError

positions = st.builds(
    BinlogPosition,
    st.integers(0, 9999),
    st.integers(0, 2**31 - 1),
    st.integers(4, 2**48),
    st.integers(0, 2**32 - 1),
)
restarts = st.builds(
    RestartPosition,
    era=st.integers(0, 99),
    file=st.sampled_from(["", "mysql-bin.000123", "a.b.1000000"]),
    pos=st.integers(4, 2**40),
    gtids=st.none() | st.just("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5"),
    server_uuid=st.none() | st.just("3e11fa47-71ca-11e1-9e33-c80aa9429562"),
    skip_events=st.integers(0, 9),
    skip_rows=st.integers(0, 9),
)


@given(positions, positions)
def test_text_sorts_as_the_log_does(a, b):
    assert (str(a) < str(b)) == (a < b)


@given(positions)
def test_a_position_survives_its_text(position):
    assert BinlogPosition.parse(str(position)) == position


@pytest.mark.parametrize("text", ["", "mysql-bin.000001:4", "1.2.3.4"])
def test_text_that_is_no_position_is_refused(text):
    with pytest.raises(ProgressError, match="not a position"):
        BinlogPosition.parse(text)


@given(st.integers(1, 2**31 - 1))
def test_a_file_name_is_its_base_and_its_number(number):
    name = file_name("host.bin", number)
    assert (file_base(name), file_number(name)) == ("host.bin", number)


def test_file_numbers_grow_beyond_six_digits():
    assert file_name("mysql-bin", 123) == "mysql-bin.000123"
    assert file_name("mysql-bin", 1_000_000) == "mysql-bin.1000000"
    assert BinlogPosition(0, file_number("mysql-bin.999999"), 4) < BinlogPosition(
        0, file_number("mysql-bin.1000000"), 4
    )


def test_a_name_without_a_number_is_refused():
    with pytest.raises(ProgressError, match="mysql-bin"):
        file_number("mysql-bin")


@given(restarts)
def test_a_restart_position_survives_its_json(restart):
    assert RestartPosition.from_dict(restart.to_dict()) == restart


@pytest.mark.parametrize("given_dict", [{"file": "b.000001", "pos": "x"}, {"wat": 1}])
def test_a_damaged_restart_position_is_refused(given_dict):
    with pytest.raises(ProgressError, match="restart position"):
        RestartPosition.from_dict(given_dict)


def test_debeziums_offset_within_a_transaction_is_taken_over():
    offset = {
        "ts_sec": 1700000000,
        "file": "mysql-bin.000003",
        "pos": 484,
        "row": 1,
        "server_id": 1,
        "event": 2,
        "gtids": "a:1-4,\nb:1",
    }
    restart = RestartPosition.from_debezium(offset)
    assert restart == RestartPosition(
        file="mysql-bin.000003", pos=484, gtids="a:1-4,b:1", skip_events=2, skip_rows=1
    )
    again = restart.to_debezium(server_id=1, ts_sec=1700000000)
    assert again == {**offset, "gtids": "a:1-4,b:1", "transaction_id": None}


def test_an_offset_at_a_transaction_boundary_has_no_events_to_skip():
    restart = RestartPosition(file="mysql-bin.000003", pos=484)
    assert restart.to_debezium() == {"transaction_id": None, "file": "mysql-bin.000003", "pos": 484}


@pytest.mark.parametrize("place", [None, 7])
def test_the_offset_of_a_connector_that_only_reads_names_a_place_in_the_signals_topic(place):
    """`read.only=true`, with or without an incremental snapshot before."""
    offset = {"file": "b.000001", "pos": 4, "gtids": "a:1-4", "incremental_snapshot_signal_offset": place}
    assert RestartPosition.from_debezium(offset) == RestartPosition(file="b.000001", pos=4, gtids="a:1-4")


@pytest.mark.parametrize(
    "offset",
    [
        {"snapshot": True, "file": "b.000001", "pos": 4},
        {"snapshot": "INITIAL", "file": "b.000001", "pos": 4},
        {"pos": 4},
        {"file": "b.000001", "pos": 4, "incremental_snapshot_collections": "[]", "incremental_snapshot_signal_offset": 7},
    ],
)
def test_an_offset_that_says_too_little_is_refused(offset):
    with pytest.raises(ProgressError, match="Debezium's offset"):
        RestartPosition.from_debezium(offset)


def test_the_era_grows_on_another_server_and_when_files_begin_again():
    restart = RestartPosition(file="mysql-bin.000007", server_uuid="one")
    assert restart.on_server("one", {"mysql-bin.000007": 9}).era == 0
    assert restart.on_server("two", {"mysql-bin.000007": 9}).era == 1
    assert restart.on_server("one", {"mysql-bin.000002": 9}).era == 1
    assert RestartPosition(file="mysql-bin.000007").on_server("one", {"mysql-bin.000009": 9}).era == 0
    assert restart.on_server("one", {"mysql-bin.000007": 3}).era == 1  # shorter than it was
    assert restart.on_server("one", {"mysql-bin.000007": 9}, is_other_file=True).era == 1


def test_files_of_another_name_begin_a_new_era_whatever_their_numbers():
    restart = RestartPosition(file="mysql-bin.000002", pos=5000, server_uuid="one", gtids="")
    assert restart.on_server("one", {"binlog.000001": 900, "binlog.000005": 9}).era == 1
    assert restart.on_server("one", {"mysql-bin.000004": 900, "mysql-bin.000005": 9}).era == 0
    assert restart.on_server("one", {"mysql-bin.000002": 5000, "binlog.000001": 9}).era == 0  # it goes on there


def test_gtids_without_a_server_begin_a_new_era_as_their_file_may_be_another_servers():
    restart = RestartPosition(file="mysql-bin.000007", pos=500, gtids="a:1-4", skip_events=2)
    here = restart.on_server("one", {"mysql-bin.000003": 900, "mysql-bin.000009": 9})
    assert (here.era, here.skip_events) == (1, 2)


def test_a_place_tells_its_file_where_that_is_known_and_is_compared_only_there():
    old = RestartPosition.from_dict({"file": "mysql-bin.000007", "pos": 4})
    assert "file_created" not in old.to_dict()
    assert [old.is_in_file(created) for created in (1, 2)] == [True, True]
    known = old.on_server("one", {"mysql-bin.000007": 9}, file_created=5)
    assert RestartPosition.from_dict(known.to_dict()) == known
    assert [known.is_in_file(created) for created in (5, 6)] == [True, False]
    assert "file_created" not in known.to_debezium()
