"""Db2's log sequence numbers: sixteen bytes, shown as Debezium shows them, `00000000:0005a1f0:00000000004cd21e`.

Db2 for z/OS, and Db2 at older levels of SQL Replication (ARCH_LEVEL), have ten bytes. A shorter number gets zeros at its end,
which keeps the order; on z/OS ten bytes are the width, and are what events show.

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table" (SQL Replication)
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.db2.bit_data import as_bytes, of_width
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.errors import LogFormatError

SIZE: Final = 16
LSNS: Final = LsnForm(SIZE, "Db2")
ZOS_LSNS: Final = LsnForm(10, "Db2 for z/OS")


def form_of(settings: Db2Settings) -> LsnForm:
    """The form of LSNs on the configured platform."""
    return ZOS_LSNS if settings.is_zos else LSNS


def positions_of(settings: Db2Settings) -> Positions:
    """The parser of stored positions."""
    return Positions(form_of(settings))


def lsn_of(raw: bytes | None, form: LsnForm) -> Lsn:
    """An LSN from its bytes; zero without any.

    Raises:
        LogFormatError: there are too many.

    """
    if raw is None:
        return form.zero
    if len(raw) > form.size:
        raise LogFormatError(_too_long(len(raw), form))
    return Lsn(bytes(raw).ljust(form.size, b"\0"))


def raw_of(array: pa.Array, what: str, size: int) -> Bytes:
    """The bytes of a column of LSNs, shape (n, size); shorter ones are filled up.

    Raises:
        LogFormatError: one is NULL or too long; `what` is the column's name.

    """
    found = of_width(array, size)
    if found is not None:
        return found
    values = as_bytes(array).to_pylist()  # a rare form of LSNs
    if any(value is None or len(value) > size for value in values):
        raise LogFormatError(f"{what} is NULL or no LSN of {size} bytes in a row of a change table")
    return np.frombuffer(b"".join(value.ljust(size, b"\0") for value in values), np.uint8).reshape(-1, size)


def _too_long(length: int, form: LsnForm) -> str:
    return (
        f"an LSN of this server has {length} bytes, and {form.database} has {form.size}: does db2.platform say what it is?"
    )
