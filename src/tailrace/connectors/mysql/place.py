"""How far reading has come: the two positions of the progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.bounds import Skip
from tailrace.connectors.mysql.gtid import GtidSet, Source
from tailrace.connectors.mysql.log import Interval
from tailrace.connectors.mysql.log_files import began_again
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.xa import Held


class Place:
    """Where everything is delivered up to, and from where reading must begin again.

    Neither goes back while what was delivered already is read once more. A server that was asked by GTIDs says where
    in its files that is only with the first transaction, or with the end of what is to be read: until then the progress
    stays what it was.
    """

    def __init__(
        self, given: RestartPosition, here: RestartPosition, delivered: BinlogPosition | None, *, by_gtids: bool
    ) -> None:
        """`given` is the restart position as it was stored, `here` as it is on this server."""
        self._given = replace(given, initial=False)
        self._is_placed = not by_gtids
        self._restart = replace(here, initial=False)
        self._delivered = delivered or given.position
        self._used = self._delivered
        self._has_gtids = here.gtids is not None
        self._executed = GtidSet.parse(here.gtids or "")
        self._created = {} if by_gtids else {here.file: here.file_created}

    @property
    def gtids(self) -> str | None:
        """The GTIDs of the transactions that have ended, as text; None where there are none."""
        return str(self._executed) if self._has_gtids else None

    def has_executed(self, gtids: str | None) -> bool:
        """Whether all these transactions have ended."""
        return gtids is not None and GtidSet.parse(gtids).is_subset(self._executed)

    def note_executed(self, intervals: Sequence[Interval]) -> None:
        """Transactions have ended."""
        self._is_placed = self._is_placed or bool(intervals)
        if intervals and self._has_gtids:
            self._executed = self._executed.union(_set_of(intervals))

    def note_used(self, file: str, position: int, part: int) -> None:
        """Records were made of everything before this; `part` is the row of its text."""
        self._is_placed = True
        self._used = BinlogPosition(self._restart.era, file_number(file), position, part)

    def note_file(self, file: str, created: int) -> None:
        """The server sends a file that it made then.

        Raises:
            PositionLostError: another file of that name was read, or was to be.

        """
        known = self._created.get(file)
        if known not in {None, created}:
            raise began_again(replace(self._restart, file=file, file_created=known), created)
        self._created[file] = created

    def created(self, file: str) -> int | None:
        """When a file was made; None where the server has not sent it."""
        return self._created.get(file)

    def note_reached(self, until: RestartPosition) -> None:
        """The end of the range, which is stated as a place on this server."""
        self._is_placed = True
        self._created.setdefault(until.file, until.file_created)  # the file may only just begin there

    def note_told(self, records: int) -> None:
        """So many records were told at the beginning."""
        self._delivered = self._used = replace(self._delivered, row=records)

    def note_previous(self, intervals: Sequence[Interval]) -> None:
        """A file begins, and says what all before it hold: so the GTIDs become known where they were not."""
        if not self._has_gtids and intervals:
            self._executed, self._has_gtids = _set_of(intervals), True

    def progress(
        self,
        file: str,
        position: int,
        restart: int,
        opened: tuple[str | None, int],
        skip: Skip | None,
        prepared: Held | None,
    ) -> Progress:
        """The progress at a position of the log.

        Args:
            file: a log file.
            position: offset in it, behind the last event used.
            restart: the start of the transaction that is open there, else `position`.
            opened: GTID of that transaction, and how many of its rows are delivered.
            skip: what is still to be left out.
            prepared: the oldest XA transaction that is not committed.

        """
        if not self._is_placed:
            return Progress(str(self._delivered), self._given.to_dict())
        era = self._restart.era
        started = BinlogPosition(era, file_number(file), restart)
        self._delivered = max(self._delivered, started, self._used)
        place = replace(
            self._restart,
            file=file,
            pos=restart,
            gtids=self.gtids,
            file_created=self.created(file),
            open_gtid=opened[0] if restart != position else None,
            open_rows=opened[1] if restart != position else 0,
            skip_gtid=skip.gtid if skip else None,
            skip_events=skip.events if skip else 0,
            skip_rows=skip.rows if skip else 0,
            is_prepared=False,
        )
        if prepared is not None:
            place = replace(
                place,
                file=prepared.file,
                pos=prepared.start,
                gtids=prepared.gtids,
                file_created=self.created(prepared.file),
                is_prepared=True,
            )
        return Progress(str(self._delivered), place.to_dict())


def _set_of(intervals: Sequence[Interval]) -> GtidSet:
    ranges: dict[Source, tuple[tuple[int, int], ...]] = {}
    for each in intervals:
        source = Source(str(each.origin.uuid), each.origin.tag)
        ranges[source] = (*ranges.get(source, ()), (each.first, each.last + 1))
    return GtidSet().union(GtidSet(ranges))
