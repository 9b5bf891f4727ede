"""Consistent reads (*views*) of tables without a key: the table as of one LSN.

Db2 has no snapshot isolation. So a table without a key is read under a shared lock of the table, for which transactions
that have changed it are waited, and which lets nobody change it: writers wait, which a warning says. That lasts as long
as reading takes and no longer, and not until the Capture program has come so far, because the rows go into a temporary
file of this machine first.

The transactions before and after the lock are distinguished by their commit times in IBMSNAP_UOW (IBMSNAP_LOGMARKER),
on the server's clock. The view's position S is the last transaction up to `MARGIN_SECONDS` after the lock was granted;
it is held for longer than `GRAIN_SECONDS` after that, as these times may be whole seconds.

Source: IBM Db2 documentation, "LOCK TABLE statement", "IBMSNAP_UOW table" (SQL Replication)
"""

# ruff: noqa: S608 -- names are quoted
from __future__ import annotations

import datetime as dt
import logging
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import IO, Any, Final

import pyarrow as pa

from tailrace import epoch
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.blocks import BLOCK_BYTES, BLOCK_ROWS, ReadRows
from tailrace.connectors.change_tables.snapshots.row_digests import row_digests
from tailrace.connectors.db2.catalog import control
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.lsn import form_of, lsn_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import locks, statements
from tailrace.connectors.db2.snapshots.read_tables import ReadTable
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.snapshot.digests import Digests

MARGIN_SECONDS: Final = 0.05
GRAIN_SECONDS: Final = 1.0

_NOW: Final = "SELECT CURRENT TIMESTAMP FROM SYSIBM.SYSDUMMY1"
_PACKING: Final = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1))

log = logging.getLogger(__name__)


class TableView:
    """A view that is open.

    Attributes:
        position: S, in a section's form.
        moment: at which nobody could change the table, the server's local time; S is the last transaction up to it.

    """

    def __init__(self, read: ReadTable, rows: IO[bytes], moment: dt.datetime, read_us: int) -> None:
        """`rows`: a file with the rows as an Arrow stream, closed with the view; `read_us`: when they were read."""
        self.position: Mapping[str, Any] | None = None
        self.moment = moment
        self._read = read
        self._rows = rows
        self._read_us = read_us

    def holds(self) -> bool:
        """True: it is the table at S."""
        return True

    def rows(self) -> Iterator[ReadChunk]:
        """All rows, in no order, block by block."""
        if not self._rows.seek(0, 2):
            return  # not even a schema: there were no rows
        self._rows.seek(0)
        for batch in pa.ipc.open_stream(self._rows):
            yield ReadChunk(self._read, [ReadRows(self._read, batch)], False, self._read_us, self._digested)

    def _digested(self, blocks: Sequence[ReadRows]) -> Digests:
        """Digests of whole rows, of the chunk's only block."""
        (block,) = blocks
        columns = block.columns
        return row_digests(self._read, columns, block.rows)

    def close(self) -> None:
        """Remove the file."""
        self._rows.close()


def opened(read: ReadTable, session: Session, isolation: str, override: str | None) -> TableView:
    """Open a view of a table.

    Args:
        read: how it is read.
        session: which locks and reads it.
        isolation: the clause for it.
        override: the user's SELECT, which replaces the table.

    Raises:
        RetriableError: the lock was not granted in time.

    """
    table = read.table.id
    log.warning(
        "%s has no key and is read under a shared lock: whoever writes to it waits until it is read. A primary key mends that",
        table,
    )
    sql = statements.whole(table, read.selects, isolation, override)
    with ExitStack() as opens:
        rows = opens.enter_context(tempfile.TemporaryFile())
        with locks.released(session):
            session.execute(statements.locked(table, "SHARE"))
            began, read_us = time.monotonic(), epoch.now_us()
            moment: dt.datetime = session.one(_NOW) + dt.timedelta(seconds=MARGIN_SECONDS)
            with closing(_selected(session, sql)) as found:
                _write(rows, sliced(found))
            time.sleep(max(0.0, MARGIN_SECONDS + GRAIN_SECONDS - (time.monotonic() - began)))
        opens.pop_all()
    return TableView(read, rows, moment, read_us)


def place_at(session: Session, settings: Db2Settings, moment: dt.datetime) -> Lsn:
    """S for a time that the Capture program has passed."""
    upto = f"CAST('{moment:%Y-%m-%d-%H.%M.%S.%f}' AS TIMESTAMP(6))"
    found = session.raw_rows(
        f"SELECT MAX(IBMSNAP_COMMITSEQ) FROM {control(settings, 'IBMSNAP_UOW')} WHERE IBMSNAP_LOGMARKER <= {upto} WITH CS"
    )
    return lsn_of(found[0][0], form_of(settings))


def sliced(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The driver's batches in blocks of some megabytes."""
    for batch in batches:
        step = max(1, min(BLOCK_ROWS, BLOCK_BYTES * batch.num_rows // max(int(batch.nbytes), 1)))
        for at in range(0, batch.num_rows, step):
            yield batch.slice(at, step)


def _selected(session: Session, sql: str) -> Generator[pa.RecordBatch]:
    yield from session.batches(sql)


def _write(file: IO[bytes], batches: Iterable[pa.RecordBatch]) -> None:
    """Write batches as one Arrow stream; nothing without any."""
    stream: Any = None
    for batch in batches:
        if stream is None:
            stream = pa.ipc.new_stream(file, batch.schema, options=_PACKING)
        stream.write_batch(batch)
    if stream is not None:
        stream.close()
