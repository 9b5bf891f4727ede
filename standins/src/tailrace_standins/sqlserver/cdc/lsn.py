"""Log sequence numbers (LSN): 10 bytes that sort in log order.

| bytes | meaning |
| --- | --- |
| 0-3 | the virtual log file |
| 4-7 | the block in it |
| 8-9 | the slot in the block |

In the stand-in's log each record has a block of its own. The slot distinguishes a transaction's begin (`BEGIN`, in the block of
its first record), its records (`RECORD`) and its commit (`COMMIT`, in a block that is allocated at the commit).

Source: "Transaction log architecture and management guide",
https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-log-architecture-and-management-guide
"""

from __future__ import annotations

from typing import Final

BEGIN: Final = 1
RECORD: Final = 2
COMMIT: Final = 3
SIZE: Final = 10
ZERO: Final = bytes(SIZE)
HIGHEST: Final = b"\xff" * SIZE
FIRST_FILE: Final = 0x25  # a real server, too, has filled some files before the first user's transaction
_BLOCK_BITS: Final = 24
_FIRST_BLOCK: Final = 0x10
_BLOCK_STEP: Final = 8


def of_position(first_file: int, position: int, slot: int) -> bytes:
    """The LSN of a position in the log (1, 2, 3…) that begins with the virtual log file `first_file`."""
    place = position * _BLOCK_STEP
    file, block = first_file + (place >> _BLOCK_BITS), (place & ((1 << _BLOCK_BITS) - 1)) + _FIRST_BLOCK
    return file.to_bytes(4, "big") + block.to_bytes(4, "big") + slot.to_bytes(2, "big")


def positions(files: int) -> int:
    """The number of positions in that many virtual log files."""
    return (files << _BLOCK_BITS) // _BLOCK_STEP


def file_of(lsn: bytes) -> int:
    """The virtual log file."""
    return int.from_bytes(lsn[:4], "big")


def increment(lsn: bytes) -> bytes:
    """The next LSN; after all ones it is zero.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-increment-lsn-transact-sql
    """
    return ((int.from_bytes(lsn, "big") + 1) % (1 << 8 * SIZE)).to_bytes(SIZE, "big")


def decrement(lsn: bytes) -> bytes:
    """The LSN before; before zero it is all ones.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-decrement-lsn-transact-sql
    """
    return ((int.from_bytes(lsn, "big") - 1) % (1 << 8 * SIZE)).to_bytes(SIZE, "big")


def lsn_text(lsn: bytes) -> str:
    """The form in sys.dm_cdc_log_scan_sessions: `00000025:000000f8:0003` and a NUL, with which Debezium compares."""
    text = lsn.hex()
    return f"{text[:8]}:{text[8:16]}:{text[16:]}\0"
