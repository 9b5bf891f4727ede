"""Commands and answers of prepared statements, without a server."""

import struct

import pytest

from tailrace.connectors.mysql.selecting import protocol


def test_parameters_are_bound_in_binary_form():
    payload = protocol.execution(7, [-1, None, "é", b"\xff", 1.5, 2**64 - 1])
    head, bitmap, bound = payload[:9], payload[9:10], payload[10]
    kinds = struct.unpack("<6H", payload[11:23])
    assert (head, bitmap, bound) == (struct.pack("<IBI", 7, 0, 1), b"\x02", 1)
    assert kinds == (8, 6, 253, 252, 5, 0x8008)
    assert payload[23:] == b"\xff" * 8 + b"\x02\xc3\xa9" + b"\x01\xff" + struct.pack("<d", 1.5) + b"\xff" * 8


def test_a_statement_without_parameters_has_no_bitmap():
    assert protocol.execution(1, []) == b"\x01\0\0\0\0\x01\0\0\0"


@pytest.mark.parametrize(("size", "prefix"), [(250, 1), (251, 3), (65535, 3), (65536, 4), (1 << 24, 9)])
def test_long_parameters_have_longer_lengths(size, prefix):
    payload = protocol.execution(1, [b"x" * size])
    assert len(payload) == 9 + 1 + 1 + 2 + prefix + size


def test_a_definition_tells_type_and_collation():
    texts = b"".join(bytes([len(text)]) + text for text in (b"def", b"db", b"t", b"t", b"alias", b"name"))
    packet = texts + b"\x0c" + struct.pack("<HIBHB", 255, 80, 253, 0x0020, 31) + b"\0\0"
    assert protocol.definition(packet) == protocol.Definition("alias", 253, 255, 80, 31, is_unsigned=True)
