"""Splitting the log into ranges: at ends of files, and inside a file at transaction boundaries.

Inside a file the log is walked as for reading, but no table is wanted, so that nothing is decoded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.dump_start import DumpStart, dump_start
from tailrace.connectors.mysql.file_sequence import FileSequence
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.log import EndOfLog, FormatDescription, LogDecoder, ServerError
from tailrace.connectors.mysql.log_file_identity import created_at
from tailrace.connectors.mysql.log_progress import LogProgress
from tailrace.connectors.mysql.positions import FIRST_OFFSET, RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import BinlogStream, DumpPosition
from tailrace.errors import RetriableError

BLOCK: Final = 1 << 18


def range_end(
    settings: MySqlSettings, start: RestartPosition, head: RestartPosition, limit_bytes: int
) -> RestartPosition:
    """The end of a range that begins at `start` and has about `limit_bytes` of the log; at most `head`.

    Raises:
        PositionLostError: the log does not reach back to `start`.
        RetriableError: the connection was lost.

    """
    opened = dump_start(settings, start)
    here = RestartPosition(
        era=opened.restart.era,
        file=start.file,
        pos=start.pos,
        gtids=start.gtids,
        server_uuid=opened.server.uuid,
        file_created=opened.restart.file_created,
    )
    end = replace(head, era=here.era)
    ahead = _whole_files(opened, end, limit_bytes)
    if ahead is end:
        return end
    if ahead is not None:
        created = created_at(settings, DumpPosition(ahead.file, ahead.pos))
        gtids = _gtids_before(settings, here, ahead.file)
        return replace(here, file=ahead.file, pos=ahead.pos, gtids=gtids, file_created=created)
    return _skimmed(settings, opened, here, end, limit_bytes)


def _whole_files(opened: DumpStart, end: RestartPosition, limit_bytes: int) -> RestartPosition | None:
    """The start of the last file that whole files reach, or the end; None if the first is too long."""
    if opened.start.gtids is not None or end.server_uuid != opened.server.uuid:
        return None
    file, pos, left = opened.start.file, opened.start.pos, limit_bytes
    names = list(opened.files)
    while file != end.file and opened.files[file] - pos <= left:
        left -= opened.files[file] - pos
        file, pos = names[names.index(file) + 1], FIRST_OFFSET
    if file == end.file and end.pos - pos <= left:
        return end
    return None if file == opened.start.file else RestartPosition(file=file, pos=pos)


def _gtids_before(settings: MySqlSettings, here: RestartPosition, file: str) -> str | None:
    """The GTIDs executed before a file: those up to `here`, which no file may have any more, and those logged since."""
    if here.gtids is None:
        return None
    with connection.connect(settings) as session:
        logged = catalog.gtids_before(session, file)
    return str(GtidSet.parse(here.gtids).union(GtidSet.parse(logged)))


def _skimmed(
    settings: MySqlSettings, opened: DumpStart, here: RestartPosition, end: RestartPosition, limit_bytes: int
) -> RestartPosition:
    """The first transaction boundary after `limit_bytes`."""
    place = LogProgress(here, here, None, by_gtids=opened.start.gtids is not None)
    succession = FileSequence(settings)
    until = (end.file, end.pos) if end.server_uuid == here.server_uuid else None
    start = opened.start
    decoder = LogDecoder(resolve=lambda _: None, file=start.file, pos=start.pos, until=until)
    begin, read = (decoder.file, decoder.restart), 0
    with BinlogStream(settings, start) as stream:
        blocks = Blocks(stream, min(BLOCK, max(limit_bytes, 1 << 12)))
        while True:
            blocks.fill(settings.poll_interval_ms)
            for item in decoder.feed(blocks.data, blocks.start, blocks.end):
                place.note_executed(item.executed)
                succession.take(item)
                if isinstance(item, FormatDescription):
                    place.note_file(item.file, item.created)
                if isinstance(item, EndOfLog) and item.reached:
                    return end
                if isinstance(item, EndOfLog | ServerError):
                    raise RetriableError(f"the log from {item.file}:{item.position}: the server ended it: {item}")
            read += decoder.consumed - blocks.start
            blocks.used(decoder.consumed, decoder.needed)
            is_placed = start.gtids is None or place.gtids != here.gtids
            if read >= limit_bytes and is_placed and (decoder.file, decoder.restart) != begin:
                created = place.created(decoder.file)
                return replace(here, file=decoder.file, pos=decoder.restart, gtids=place.gtids, file_created=created)
