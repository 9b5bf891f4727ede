"""From Debezium's offset to a restart position, and from the progress to an offset that Debezium can resume from.

Both systems can be within a transaction. Debezium counts the events since its BEGIN and the rows of the next one,
and a restart position can say the same. Two things must be read from the log:

- After a statement such as ALTER TABLE, Debezium's offset is at its end, but its GTID set still lacks it, so that
  Debezium delivers the statement again after a restart. Here it counts as delivered.
- The progress says up to which byte everything is delivered; only the log says how many events since BEGIN that is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.delivered_rows import DeliveredRows
from tailrace.connectors.mysql.dump_start import DumpStart, dump_start
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.history_positions import holds_at
from tailrace.connectors.mysql.log import EndOfLog, Item, LogDecoder, Query, RowEvents, ServerError
from tailrace.connectors.mysql.positions import ROWS_AN_EVENT, BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import BinlogStream, Options
from tailrace.connectors.mysql.stream_errors import of_text
from tailrace.errors import ProgressError, RetriableError

READ_ON: Final = "read on to a transaction's end first (tailrace run ... --available-now), and export again"
PATIENCE_SECONDS: Final = 60.0


NEEDS_HISTORY: Final = True
WHY_TOO_EARLY: Final = "without GTIDs Debezium up to 3.6 takes structures from them too early (debezium/dbz#1541)"


def partitions_of(settings: MySqlSettings) -> Sequence[Sequence[Mapping[str, Any]]]:
    """The source partition of Debezium's only offset, in its only form."""
    return [[{"server": settings.topic_prefix}]]


def restart_of(settings: MySqlSettings, offsets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The restart position for Debezium's offset.

    Raises:
        ProgressError: it is the offset of an unfinished snapshot, or none at all.

    """
    (offset,) = offsets
    restart = RestartPosition.from_debezium(offset)
    if restart.gtids is not None and not (restart.skip_events or restart.skip_rows):
        restart = replace(restart, gtids=_with_last_statement(settings, restart, restart.gtids))
    return restart.to_dict()


def history_of(records: Sequence[HistoryRecord], offsets: Sequence[Mapping[str, Any]]) -> list[HistoryRecord]:
    """The records of a schema history that apply at Debezium's offset."""
    return list(filter(holds_at(offsets[0]), records))


def too_early(records: Sequence[HistoryRecord], offsets: Sequence[Mapping[str, Any]]) -> int:
    """How many records Debezium would treat as known at an offset although they come after it.

    Without GTIDs a record with a server's id counts as known at any position, up to Debezium 3.6.
    """
    (offset,) = offsets
    if offset.get("gtids"):
        return 0
    holds = holds_at(offset)
    return sum("server_id" in record["position"] and not holds(record) for record in records)


def offset_text(offset: Mapping[str, Any]) -> str:
    """An offset of Debezium's in a few words."""
    within = f", {offset['event']} events into a transaction" if offset.get("event") else ""
    return f"{offset['file']}:{offset.get('pos')}{within}"


def offsets_of(settings: MySqlSettings, progress: Progress) -> list[dict[str, Any]]:
    """Debezium's offset at the delivered position.

    It has neither server id nor time: Debezium compares them with those of history records, and they belong to
    the event that was read last, which is no longer known.

    Raises:
        ProgressError: Debezium's offset can't express this position; the message says what to do.

    """
    restart = RestartPosition.from_dict(progress.restart)
    if restart.is_prepared:
        raise ProgressError(
            f"an XA transaction is prepared at {restart.file}:{restart.pos}, and Debezium's offset can't tell which are "
            f"delivered behind it: let it end (XA RECOVER shows it), then {READ_ON}"
        )
    delivered = BinlogPosition.parse(progress.delivered) if progress.delivered else None
    opened = dump_start(settings, restart)
    if restart.skip_gtid or (restart.server_uuid is not None and opened.restart.era != restart.era):
        raise ProgressError(f"the position lies within a transaction that was read from another server: {READ_ON}")
    if not restart.file:
        restart = replace(restart, file=opened.start.file)
    if delivered is not None and _has_delivered_events(restart, delivered):
        _refuse_counted(settings)
        done = _events_done(settings, opened, restart, delivered)
        if done is not None and done > restart.skip_events:  # otherwise more was delivered before reading began here
            restart = replace(restart, skip_events=done, skip_rows=0)
    return [{name: value for name, value in restart.to_debezium().items() if value is not None and value != ""}]


def _refuse_counted(settings: MySqlSettings) -> None:
    if settings.provide_transaction_metadata:
        raise ProgressError(
            "the position lies within a transaction, and with provide.transaction.metadata Debezium's offset would have to "
            f"tell how many changes of each table came before: {READ_ON}"
        )


def _has_delivered_events(restart: RestartPosition, delivered: BinlogPosition) -> bool:
    """Whether events after the restart position are delivered (not only initial structures there)."""
    whole_events = replace(delivered, row=delivered.row // ROWS_AN_EVENT)
    return whole_events > restart.position


def _with_last_statement(settings: MySqlSettings, restart: RestartPosition, gtids: str) -> str:
    """The GTID set of an offset, with the statement that ends at the offset."""
    opened = dump_start(settings, restart)
    if opened.start.gtids is None:
        return gtids
    place = restart.file, restart.pos
    with closing(_items(settings, opened, lambda _: None)) as items:
        for item in items:
            if isinstance(item, Query):
                told = (item.file, item.position) == place and item.transaction.gtid is not None
                return str(GtidSet.parse(gtids).add(str(item.transaction.gtid))) if told else gtids
            if isinstance(item, RowEvents | EndOfLog) or item.executed:
                return gtids
    return gtids


def _events_done(
    settings: MySqlSettings, opened: DumpStart, restart: RestartPosition, delivered: BinlogPosition
) -> int | None:
    """How many events of the first transaction, counted from its BEGIN, are delivered; None if that is unknown."""
    delivered_rows, done, begun = DeliveredRows(delivered, restart), None, False
    with closing(_items(settings, opened, lambda _: 0)) as items:
        for item in items:
            if isinstance(item, Query | EndOfLog):
                break
            if not isinstance(item, RowEvents) or not len(item.transactions):
                continue
            if begun and not item.continued:
                break
            begun = True
            left, done = _first_left(item, delivered_rows, restart.era, done)
            if left or item.transactions.end[0]:
                break
    return done


def _first_left(run: RowEvents, delivered_rows: DeliveredRows, era: int, done: int | None) -> tuple[bool, int | None]:
    """Whether an event of the run's first transaction is not delivered, and how many come before the first such."""
    events = np.flatnonzero(run.transaction == 0)
    if not len(events):
        return False, done
    if not run.transactions.begin[0]:
        at = f"{run.file}:{run.start[events[0]]}"
        raise ProgressError(f"Debezium's offset can't tell a position within the transaction at {at}: {READ_ON}")
    wanted = delivered_rows.wanted(era, file_number(run.file), run.start[events], run.part[events])
    numbers = run.number[events]
    if wanted.any():
        return True, int(numbers[np.flatnonzero(wanted)[0]])
    return False, int(numbers[-1]) + 1


def _items(settings: MySqlSettings, opened: DumpStart, resolve: Callable[[Any], int | None]) -> Generator[Item]:
    """The items of the log from where it is opened, up to its end."""
    decoder = LogDecoder(resolve=resolve, file=opened.start.file, pos=opened.start.pos)
    with BinlogStream(settings, opened.start, Options(blocking=False)) as stream:
        blocks, deadline = Blocks(stream), time.monotonic() + PATIENCE_SECONDS
        while True:
            if blocks.fill(settings.poll_interval_ms):
                deadline = time.monotonic() + PATIENCE_SECONDS
            elif time.monotonic() > deadline:
                raise RetriableError(f"the log from {opened.start}: nothing came for {PATIENCE_SECONDS:g} s")
            for item in decoder.feed(blocks.data, blocks.start, blocks.end):
                if isinstance(item, ServerError):
                    raise of_text(item.code, item.message, f"{item.file}:{item.position}")
                yield item
                if isinstance(item, EndOfLog):
                    return
            blocks.used(decoder.consumed, decoder.needed)
