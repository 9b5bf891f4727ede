"""A simple and slow packet parser, with which tests compare the compiled one."""

from collections.abc import Iterator

from tailrace.connectors.mysql.stream import BinlogStream

FULL_PACKET = 0xFFFFFF
END, ERROR = 0xFE, 0xFF


def events(stream: BinlogStream, *, buffer_size: int = 1 << 20, wait_ms: int = 10_000) -> Iterator[bytes]:
    """The events of a stream, without packet headers, up to its end; an error packet is raised."""
    for packet in packets(stream, buffer_size, wait_ms):
        if packet[0] == ERROR:
            raise stream.error_of(packet)
        if packet[0] == END and len(packet) < 9:
            return
        yield packet[1:]


def packets(stream: BinlogStream, buffer_size: int, wait_ms: int) -> Iterator[bytes]:
    """Whole packets; those of 16 MB are joined."""
    buffer, kept, joined = memoryview(bytearray(buffer_size)), b"", b""
    while True:
        count = stream.read(buffer, wait_ms)
        assert count, f"nothing came within {wait_ms} ms"
        kept += bytes(buffer[:count])
        while len(kept) >= 4 and len(kept) >= 4 + (length := int.from_bytes(kept[:3], "little")):
            joined, kept = joined + kept[4 : 4 + length], kept[4 + length :]
            if length < FULL_PACKET:
                yield joined
                joined = b""


def event_type(event: bytes) -> int:
    """The fifth byte of an event's header."""
    return event[4]


def next_position(event: bytes) -> int:
    """Where the event after this one begins."""
    return int.from_bytes(event[13:17], "little")
