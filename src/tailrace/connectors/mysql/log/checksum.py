"""CRC-32 of a piece of a block, compiled: events are many and short, a call of zlib for each would cost more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tailrace.connectors.mysql.log.compiled import inlined

_SLICES = 8


def _tables() -> npt.NDArray[np.uint32]:
    tables = np.zeros((_SLICES, 256), np.uint32)
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        tables[0, byte] = value
    for k in range(1, _SLICES):
        tables[k] = tables[0][tables[k - 1] & 0xFF] ^ tables[k - 1] >> 8
    return tables


_TABLES = _tables()


@inlined
def crc32(data: npt.NDArray[np.uint8], o: int, n: int) -> np.uint32:
    """The CRC-32 (zlib's) of data[o:o + n], eight bytes a step."""
    crc = np.uint32(0xFFFFFFFF)
    end = o + n
    while end - o >= 8:
        low = crc ^ (
            np.uint32(data[o])
            | np.uint32(data[o + 1]) << np.uint32(8)
            | np.uint32(data[o + 2]) << np.uint32(16)
            | np.uint32(data[o + 3]) << np.uint32(24)
        )
        crc = (
            _TABLES[7, low & np.uint32(0xFF)]
            ^ _TABLES[6, low >> np.uint32(8) & np.uint32(0xFF)]
            ^ _TABLES[5, low >> np.uint32(16) & np.uint32(0xFF)]
            ^ _TABLES[4, low >> np.uint32(24)]
            ^ _TABLES[3, data[o + 4]]
            ^ _TABLES[2, data[o + 5]]
            ^ _TABLES[1, data[o + 6]]
            ^ _TABLES[0, data[o + 7]]
        )
        o += 8
    while o < end:
        crc = _TABLES[0, (crc ^ data[o]) & np.uint32(0xFF)] ^ crc >> np.uint32(8)
        o += 1
    return crc ^ np.uint32(0xFFFFFFFF)
