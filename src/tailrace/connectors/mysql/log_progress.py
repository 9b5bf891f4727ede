"""The reading progress: its two positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.delivered_rows import Skip
from tailrace.connectors.mysql.gtid import GtidSet, Source
from tailrace.connectors.mysql.log import Interval
from tailrace.connectors.mysql.log_file_identity import log_was_reset
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.xa import XaTransaction


class LogProgress:
    """The delivered position, and the restart position.

    Neither goes back while delivered events are read again. After a request by GTIDs the server sends its
    file and offset only with the first transaction, or at the end of the range: until then the progress
    does not change.
    """

    def __init__(
        self,
        given: RestartPosition,
        here: RestartPosition,
        delivered: BinlogPosition | None,
        *,
        by_gtids: bool,
        purged: GtidSet | None = None,
        wanted: Callable[[str], bool] = lambda _source_uuid: True,
    ) -> None:
        """The progress where reading begins.

        Args:
            given: the stored restart position.
            here: the same on this server.
            delivered: the stored delivered position.
            by_gtids: whether the log is requested by GTIDs.
            purged: the GTIDs in none of the server's files; None if its GTIDs are off.
            wanted: the filter of GTID sources.

        """
        self._given = replace(given, initial=False)
        self._is_placed = not by_gtids
        self._restart = replace(here, initial=False)
        self._prepared = (here.file, here.pos) if here.is_prepared else None
        self._delivered = delivered or given.position
        self._used = self._delivered
        self._has_gtids = here.gtids is not None
        self._executed = GtidSet.parse(here.gtids or "")
        self._purged = purged
        self._wanted = wanted
        self._created = {} if by_gtids else {here.file: here.file_created}

    @property
    def gtids(self) -> str | None:
        """The GTIDs of the transactions that have ended, as text; None if there are none."""
        return str(self._executed) if self._has_gtids else None

    def is_passed(self, file: str, position: int) -> bool:
        """Whether something behind a place of the log is delivered: what begins there is read again."""
        return bool(file) and replace(self._delivered, row=0) > BinlogPosition(self._restart.era, file_number(file), position)

    def has_executed(self, gtids: GtidSet) -> bool:
        """Whether all these transactions have ended."""
        return gtids.is_subset(self._executed)

    def note_executed(self, intervals: Sequence[Interval]) -> None:
        """Add transactions that have ended."""
        self._is_placed = self._is_placed or bool(intervals)
        if intervals and self._has_gtids:
            self._executed = self._executed.union(_set_of(intervals))

    def advance(self, file: str, position: int, part: int) -> None:
        """Set the position before which records were made of everything; `part` is the row in its text."""
        self._is_placed = True
        self._used = BinlogPosition(self._restart.era, file_number(file), position, part)

    def note_file(self, file: str, created: int) -> None:
        """Note the creation time of a file that the server sends.

        Raises:
            PositionLostError: another file of that name was read, or is expected.

        """
        known = self._created.get(file)
        if known not in {None, created}:
            raise log_was_reset(replace(self._restart, file=file, file_created=known), created)
        self._created[file] = created

    def created(self, file: str) -> int | None:
        """A file's creation time; None if the server has not sent it."""
        return self._created.get(file)

    def set_range_end(self, until: RestartPosition) -> None:
        """Set the end of the range as reached, as a position on this server.

        Lanes that changed servers at different times count different eras; the end has the highest.
        """
        self._is_placed = True
        self._created.setdefault(until.file, until.file_created)  # the file may only just begin there
        if until.server_uuid == self._restart.server_uuid:
            self._restart = replace(self._restart, era=max(self._restart.era, until.era))

    def set_initial_records(self, records: int) -> None:
        """Set how many initial records were delivered."""
        self._delivered = self._used = replace(self._delivered, row=records)

    def note_previous(self, intervals: Sequence[Interval], *, is_first: bool) -> None:
        """Take the GTIDs of all earlier files from a file's beginning; `is_first`: reading began in this one.

        All earlier files are read by then, or are not needed, as the request was by GTIDs. So this closes gaps of a set that
        was asked for while transactions were committing. Sources that do not count are left out: on another server their
        transactions may have been passed over, not read.

        If there was no set, it is taken from the first file that begins while the server's GTIDs are on. Otherwise the log has
        transactions without a GTID, and the set would seem to say that they are read.
        """
        previous = _set_of(intervals)
        if self._has_gtids:
            self._executed = self._executed.union(previous.filtered(self._wanted))
        elif previous and self._purged is not None and not is_first:
            self._executed, self._has_gtids = previous.union(self._purged), True

    def progress(
        self,
        file: str,
        position: int,
        restart: int,
        opened: tuple[str | None, int],
        skip: Skip | None,
        prepared: XaTransaction | None,
    ) -> Progress:
        """The progress at a position of the log.

        Args:
            file: a log file.
            position: offset in it, after the last event used.
            restart: the start of the transaction that is open there, else `position`.
            opened: GTID of that transaction, or of the one that is read again from there on, and how many of its rows are
                delivered.
            skip: what is still to be skipped.
            prepared: the oldest XA transaction that is not committed.

        """
        if not self._is_placed:
            return Progress(str(self._delivered), self._given.to_dict())
        era = self._restart.era
        started = BinlogPosition(era, file_number(file), restart)
        self._delivered = max(self._delivered, started, self._used)
        # also before the transaction that is delivered in part has come again: its rows count on another server
        is_open = restart != position or self.is_passed(file, restart)
        place = replace(
            self._restart,
            file=file,
            pos=restart,
            gtids=self.gtids,
            file_created=self.created(file),
            open_gtid=opened[0] if is_open else None,
            open_rows=opened[1] if is_open else 0,
            skip_gtid=skip.gtid if skip else None,
            skip_events=skip.events if skip else 0,
            skip_rows=skip.rows if skip else 0,
            is_prepared=(file, restart) == self._prepared,  # and has not come again to its end
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
    ranges: dict[Source, list[tuple[int, int]]] = {}
    for each in intervals:
        source = Source(str(each.origin.uuid), each.origin.tag)
        ranges.setdefault(source, []).append((each.first, each.last + 1))
    return GtidSet().union(GtidSet({source: tuple(given) for source, given in ranges.items()}))
