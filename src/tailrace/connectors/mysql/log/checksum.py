"""CRC-32 of a piece of a block, compiled: events are many and short, zlib for each would cost more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tailrace.kernels.arrays import u64
from tailrace.kernels.compiling import inlined

_SLICES = 8
_BYTE = np.uint64(0xFF)


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
        word = np.uint64(u64(data, o)) ^ np.uint64(crc)
        crc = (
            _TABLES[7, word & _BYTE]
            ^ _TABLES[6, word >> np.uint64(8) & _BYTE]
            ^ _TABLES[5, word >> np.uint64(16) & _BYTE]
            ^ _TABLES[4, word >> np.uint64(24) & _BYTE]
            ^ _TABLES[3, word >> np.uint64(32) & _BYTE]
            ^ _TABLES[2, word >> np.uint64(40) & _BYTE]
            ^ _TABLES[1, word >> np.uint64(48) & _BYTE]
            ^ _TABLES[0, word >> np.uint64(56)]
        )
        o += 8
    while o < end:
        crc = _TABLES[0, (crc ^ data[o]) & np.uint32(0xFF)] ^ crc >> np.uint32(8)
        o += 1
    return crc ^ np.uint32(0xFFFFFFFF)
