"""Packets become row images: the compiled pass against a plain one, without a server."""

import socket
import threading

import numpy as np
import pytest
from both_forms import FORMS, date, decimal, image, integer, packet, text, year
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connectors.mysql.selecting import transcoding as t
from tailrace.connectors.mysql.selecting.packets import PacketReader
from tailrace.connectors.mysql.selecting.program import Block, program
from tailrace.errors import RetriableError

END_PACKET = b"\x05\0\0\x09\xfe\0\0\x02\0"


def padded(data: bytes) -> np.ndarray:
    return np.frombuffer(data + bytes(t.SPARE), np.uint8).copy()


def block_of(columns, repeated=(), limit=1000) -> Block:
    return Block(program([c.plan for c in columns], repeated), limit)


def images_of(block: Block, columns: int) -> bytes:
    head = 8 + 2 + (1 if columns < 251 else 3) + (columns + 7) // 8
    return block.data[head : block.end].tobytes()


@st.composite
def tables(draw):
    columns = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=20))
    row = st.tuples(*(st.one_of(st.none(), c.values) if draw(st.booleans()) else c.values for c in columns))
    repeated = draw(st.lists(st.integers(0, len(columns) - 1), max_size=3, unique=True))
    return columns, draw(st.lists(row, max_size=8)), repeated


@given(tables())
def test_a_row_image_is_what_the_log_would_hold(table):
    columns, rows, repeated = table
    block = block_of(columns, repeated)
    data = b"".join(packet(columns, row) for row in rows) + END_PACKET
    status, at = block.fill(padded(data), 0, len(data))
    twice = [*columns, *(columns[i] for i in repeated)]
    expected = b"".join(image(twice, [*row, *(row[i] for i in repeated)]) for row in rows)
    assert (status, at, block.rows) == (t.END, len(data) - len(END_PACKET), len(rows))
    assert images_of(block, len(twice)) == expected


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f"{f.plan.storage.name}-{f.plan.meta}")
def test_each_type_alone(form):
    @given(st.lists(form.values, min_size=1, max_size=30))
    def check(values):
        block = block_of([form])
        data = b"".join(packet([form], [v]) for v in values)
        status, at = block.fill(padded(data), 0, len(data))
        assert (status, at) == (t.MORE, len(data))
        assert images_of(block, 1) == b"".join(image([form], [v]) for v in values)

    check()


def test_it_goes_on_wherever_the_packets_were_cut():
    columns = [integer(4, False), text(2), date()]
    rows = [(1, b"abc", (2024, 2, 29)), (2, None, (0, 0, 0)), (3, b"", (9999, 12, 31))]
    data = padded(b"".join(packet(columns, row) for row in rows))
    expected = b"".join(image(columns, row) for row in rows)
    for cut in range(len(data) - t.SPARE):
        block = block_of(columns)
        status, at = block.fill(data, 0, cut)
        assert status == t.MORE
        assert at + block.needed > cut
        assert block.fill(data, at, len(data) - t.SPARE) == (t.MORE, len(data) - t.SPARE)
        assert images_of(block, 3) == expected


def test_a_table_of_many_columns_has_a_longer_head():
    columns = [integer(1, True)] * 300
    row = [i % 251 if i % 3 else None for i in range(300)]
    block = block_of(columns)
    data = packet(columns, row)
    block.fill(padded(data), 0, len(data))
    assert images_of(block, 300) == image(columns, row)


def test_a_block_ends_after_its_limit_of_rows():
    columns = [integer(4, False)]
    data = b"".join(packet(columns, [i]) for i in range(10))
    block = block_of(columns, limit=4)
    status, at = block.fill(padded(data), 0, len(data))
    assert (status, block.rows, at) == (t.FULL, 4, len(data) * 4 // 10)


@given(tables(), st.data())
def test_a_damaged_packet_ends_the_pass_and_nothing_else(table, data):
    columns, rows, repeated = table
    raw = bytearray(b"".join(packet(columns, row) for row in rows))
    for _ in range(data.draw(st.integers(1, 5))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    block = block_of(columns, repeated)
    status, at = block.fill(padded(bytes(raw)), 0, len(raw))
    assert status in (t.MORE, t.FULL, t.LONG, t.END, t.DAMAGED)
    assert 0 <= at <= len(raw)
    assert block.end <= len(block.data)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (decimal(5, 2), b"\x071234.56"),  # more digits than there is room for
        (decimal(5, 2), b"\x051.234"),
        (decimal(5, 2), b"\x041e10"),
        (decimal(5, 2), b"\x00"),
        (year(), b"\x01\x00"),
        (text(2), b"\xfd\x00\x00\x01" + b"x" * 65536),
        (text(2), b"\x05abc"),
        (text(2), b"\xfe" + b"\xff" * 8),
        (text(2), b"\xfb"),
        (date(), b"\x05abcde"),
        (integer(8, False), b"abc"),
        (integer(2, False), b"abc"),  # bytes are left over
    ],
)
def test_a_value_without_a_place_in_the_structure_names_its_column(form, value):
    columns = [integer(1, False), form]
    payload = b"\0\0\x07" + value
    data = len(payload).to_bytes(3, "little") + b"\1" + payload
    block = block_of(columns)
    assert block.fill(padded(data), 0, len(data)) == (t.DAMAGED, 0)
    assert block.column >= 1
    assert block.rows == 0


class Sent:
    """A reader at one end of a pair of sockets, and a thread that sends at the other."""

    def __init__(self, data: bytes, size: int = 1 << 16) -> None:
        self.end, other = socket.socketpair()
        self.reader = PacketReader(other, "testing", size)
        self.thread = threading.Thread(target=self._send, args=(data,))
        self.thread.start()

    def _send(self, data: bytes) -> None:
        self.end.sendall(data)
        self.end.close()


@pytest.mark.parametrize("size", [t.LONGEST, t.LONGEST + 1, 2 * t.LONGEST - 1, 2 * t.LONGEST, 2 * t.LONGEST + 77])
def test_a_packet_that_goes_on_in_others_is_put_together(size):
    payload = np.random.default_rng(size).integers(0, 255, size, np.uint8).tobytes()
    pieces = [payload[at : at + t.LONGEST] for at in range(0, size + 1, t.LONGEST)]
    framed = b"".join(len(p).to_bytes(3, "little") + bytes([i]) + p for i, p in enumerate(pieces))
    sent = Sent(b"\3\0\0\0abc" + framed + b"\2\0\0\0de")
    assert sent.reader.packet() == b"abc"
    begin, stop = sent.reader.long_packet()
    assert sent.reader.data[begin:stop].tobytes() == payload
    assert sent.reader.packet() == b"de"
    sent.thread.join()


def test_packets_of_all_sizes_come_through_a_small_buffer():
    sizes = [int(n) for n in np.random.default_rng(5).integers(0, 3000, 400)]
    packets = [bytes([n & 0xFF]) * n for n in sizes]
    sent = Sent(b"".join(len(p).to_bytes(3, "little") + b"\0" + p for p in packets), size=1 << 14)
    assert [sent.reader.packet() for _ in sizes] == packets
    sent.thread.join()


def test_an_end_in_the_midst_of_a_packet_is_a_lost_connection():
    sent = Sent(b"\x09\0\0\0abc")
    with pytest.raises(RetriableError, match="testing: the server closed the connection"):
        sent.reader.packet()
    sent.thread.join()


def test_a_row_longer_than_a_block_gets_a_block_of_its_own():
    columns = [text(4)]
    long = b"z" * (17 << 20)
    payload = b"\0\0" + columns[0].packed(long)
    made = program([columns[0].plan], [0])
    block = Block(made, 10)
    assert not block.has_room(len(payload))
    block = Block(made, 10, len(payload))
    assert block.has_room(len(payload))
    assert block.add(padded(payload), 0, len(payload)) == t.MORE
    assert images_of(block, 2) == b"\0" + 2 * (len(long).to_bytes(4, "little") + long)
