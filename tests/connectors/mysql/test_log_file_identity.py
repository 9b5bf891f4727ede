"""What the first packets of a dump say of the file that it is of."""

import struct

import pytest
from tests.connectors.mysql.log.streams import event

from tailrace.connectors.mysql.log_file_identity import created_in
from tailrace.connectors.mysql.stream import DumpPosition
from tailrace.errors import PositionLostError, RetriableError, SourceSetupError

ARTIFICIAL = 0x20
START = DumpPosition("mysql-bin.000001", 500)
ROTATE = b"\0" + event(4, struct.pack("<Q", 500) + b"mysql-bin.000001", flags=ARTIFICIAL, timestamp=0)
DESCRIPTION = b"\0" + event(15, b"-" * 80, timestamp=1_700_000_001)
NEXT_FILE = [
    b"\0" + event(4, struct.pack("<Q", 4) + b"mysql-bin.000002", flags=ARTIFICIAL, timestamp=0),
    b"\0" + event(15, b"-" * 80, end=103, timestamp=1_700_000_999),
]
HEARTBEAT = b"\0" + event(27, b"mysql-bin.000001", end=0)
END = b"\xfe\0\0\2\0"


def beginning(pos):
    return b"\0" + event(34, b"x" * 42, end=pos + 61)


def error(number, text):
    return b"\xff" + struct.pack("<H", number) + b"#HY000" + text


@pytest.mark.parametrize("then", [[END], [beginning(500)], [HEARTBEAT, beginning(500)], NEXT_FILE], ids=["end", "event", "heartbeat", "next file"])
def test_the_first_format_description_tells(then):
    assert created_in(iter([ROTATE, DESCRIPTION, *then]), START) == 1_700_000_001


def test_at_a_files_beginning_it_is_the_files_own():
    own = b"\0" + event(15, b"-" * 80, end=103, timestamp=7)
    assert created_in(iter([ROTATE, own, beginning(103)]), DumpPosition("mysql-bin.000001")) == 7


def test_offsets_beyond_4_gib_of_events_are_compared_in_32_bits():
    start = DumpPosition("mysql-bin.000001", (1 << 32) - 10)
    assert created_in(iter([ROTATE, DESCRIPTION, beginning(start.pos)]), start) == 1_700_000_001


@pytest.mark.parametrize("pos", [499, 501, 4])
def test_an_event_that_begins_elsewhere_is_none(pos):
    with pytest.raises(PositionLostError, match=r"mysql-bin\.000001:500: no event begins there"):
        created_in(iter([ROTATE, DESCRIPTION, beginning(pos)]), START)


@pytest.mark.parametrize(
    "text",
    [b"bogus data in log event", b"binlog truncated in the middle of event; x", b"event read from binlog did not pass crc check", b"log event entry exceeded max_allowed_packet"],
)
def test_what_the_server_can_not_read_there_is_no_event(text):
    with pytest.raises(PositionLostError, match="no event begins there"):
        created_in(iter([ROTATE, DESCRIPTION, error(1236, text)]), START)


def test_other_errors_mean_what_they_mean():
    with pytest.raises(SourceSetupError, match=r"database\.server\.id"):
        created_in(iter([error(1236, b"same server_uuid/server_id")]), START)
    with pytest.raises(RetriableError, match="which file"):
        created_in(iter([ROTATE, END]), START)
