"""Values that the compiled loops leave to Python, one at a time.

Three kinds are rare or need a library: text of a multi-byte character set that is not ASCII, a DECIMAL whose
nearest double needs more than one exact division, and partial updates of JSON. The loops set a bit of the
column's extra bitmap for each; here they are made and put in their places.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.rows.charsets import decode_text
from tailrace.connectors.mysql.rows.decimals import put_decimal

Views = npt.NDArray[np.uint32]


def flagged(bitmap: Bytes, count: int) -> npt.NDArray[np.int64]:
    """The indices of the bits set among the first `count`."""
    return np.flatnonzero(np.unpackbits(bitmap, count=count, bitorder="little"))


def texts_of_views(views: Views, buffers: Sequence[Bytes], rows: npt.NDArray[np.int64]) -> list[bytes]:
    """The bytes that some views show."""
    texts = []
    for i in rows:
        n, _, buffer, start = views[i].tolist()
        texts.append(views[i, 1:].tobytes()[:n] if n <= 12 else buffers[buffer][start : start + n].tobytes())
    return texts


def put_texts(views: Views, rows: npt.NDArray[np.int64], texts: Sequence[bytes], buffer: int) -> Bytes:
    """Replaces the views of some rows by views of new texts, which are in the returned buffer."""
    place = 0
    for i, text in zip(rows, texts, strict=True):
        head = text[:4] if len(text) > 12 else text.ljust(12, b"\0")
        views[i, 0] = len(text)
        views[i, 1 : 1 + len(head) // 4] = np.frombuffer(head, np.uint32)
        if len(text) > 12:
            views[i, 2:] = buffer, place
        place += len(text)
    return np.frombuffer(b"".join(texts), np.uint8)


def decode_texts(charset: str, views: Views, data: Bytes, rows: npt.NDArray[np.int64], buffer: int) -> Bytes:
    """Text of a multi-byte character set, value by value; the buffer of the new views."""
    texts = texts_of_views(views, (data,), rows)
    return put_texts(views, rows, [decode_text(charset, text) for text in texts], buffer)


def decimal_to_double(data: Bytes, precision: int, scale: int, values: npt.NDArray[np.int64]) -> list[float]:
    """The nearest doubles of the decimals at these offsets."""
    room = np.zeros(96, np.uint8)
    doubles = []
    for offset in values:
        start, stop = put_decimal(data, int(offset), precision, scale, room, 0)
        doubles.append(float(room[start:stop].tobytes()))
    return doubles
