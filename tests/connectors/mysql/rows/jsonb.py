"""A small writer of MySQL's binary JSON, for tests."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Opaque:
    """A value of a MySQL type."""

    type: int
    data: bytes


def document(value: object, *, large: bool = False) -> bytes:
    """A whole document; `large` takes four bytes for every offset."""
    type_, data = encoded(value, large=large)
    return bytes([type_]) + data


def encoded(value: object, *, large: bool = False) -> tuple[int, bytes]:
    """(type, bytes) of a value."""
    if value is None or isinstance(value, bool):
        return 4, bytes([0 if value is None else 1 if value else 2])
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return 11, struct.pack("<d", value)
    if isinstance(value, str):
        return 12, _length(len(value.encode())) + value.encode()
    if isinstance(value, Opaque):
        return 15, bytes([value.type]) + _length(len(value.data)) + value.data
    if isinstance(value, dict):
        return int(large), _container(sorted(value.items(), key=_order), value.values(), large=large)
    assert isinstance(value, list)
    return 2 + large, _container([(None, v) for v in value], value, large=large)


def _order(item: tuple[str, object]) -> tuple[int, bytes]:
    return len(item[0].encode()), item[0].encode()


def _integer(value: int) -> tuple[int, bytes]:
    for type_, form in ((5, "<h"), (7, "<i"), (9, "<q"), (10, "<Q")):
        try:
            return type_, struct.pack(form, value)
        except struct.error:
            continue
    raise OverflowError(value)


def _length(n: int) -> bytes:
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def _container(items: list, _values: object, *, large: bool) -> bytes:
    width = 4 if large else 2
    keyed = bool(items) and items[0][0] is not None
    head = 2 * width + len(items) * (width + 1 + (width + 2 if keyed else 0))
    keys, entries, body = b"", b"", b""
    for key, _ in items if keyed else ():
        raw = key.encode()
        keys += (head + len(body)).to_bytes(width, "little") + len(raw).to_bytes(2, "little")
        body += raw
    for _, value in items:
        type_, data = encoded(value, large=large)
        if type_ in (4, 5, 6) or (large and type_ in (7, 8)):
            entries += bytes([type_]) + data.ljust(width, b"\0")
        else:
            entries += bytes([type_]) + (head + len(body)).to_bytes(width, "little")
            body += data
    size = head + len(body)
    return len(items).to_bytes(width, "little") + size.to_bytes(width, "little") + keys + entries + body
