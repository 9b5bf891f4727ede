"""A snapshot's progress as text: a line for the whole, and one for each table that is being read."""

from __future__ import annotations

from tailrace.source.snapshot_progress import SnapshotProgress, TableProgress, percent, seconds_left

MOST_TABLES = 6
TABLES_IN_A_LINE = 2


def block(snapshot: SnapshotProgress) -> str:
    """Several lines, to stay at the bottom of a terminal."""
    at_work = snapshot.at_work
    lines = [whole(snapshot), *(f"  {table_line(name, table)}" for name, table in at_work[:MOST_TABLES])]
    if len(at_work) > MOST_TABLES:
        lines.append(f"  and {len(at_work) - MOST_TABLES} more")
    return "\n".join(lines)


def line(snapshot: SnapshotProgress) -> str:
    """One line, for a log: the whole, and the largest tables that are being read."""
    at_work = snapshot.at_work
    tables = [f"{_plain(name)} {_share(table)}" for name, table in at_work[:TABLES_IN_A_LINE]]
    more = [f"{len(at_work) - TABLES_IN_A_LINE} more"] if len(at_work) > TABLES_IN_A_LINE else []
    return f"{whole(snapshot)} · now {', '.join(tables + more)}" if tables else whole(snapshot)


def whole(snapshot: SnapshotProgress) -> str:
    """Of all tables."""
    done, count = snapshot.tables_done
    lanes_done, lanes = snapshot.lanes
    pieces = [f"{_name(snapshot)}: {_rows(snapshot)}"]
    if snapshot.about is not None:  # until then not all tables are known
        pieces.append(f"{done:,} of {count:,} tables")
    pieces.append(f"{snapshot.chunks:,} chunks")
    if lanes > 1:
        pieces.append(f"{lanes_done} of {lanes} lanes done")
    return " · ".join([*pieces, *_speed(snapshot)])


def table_line(name: str, table: TableProgress) -> str:
    """Of one table."""
    pieces = [f"{_plain(name)}: {_rows(table)}", f"{table.chunks:,} chunks"]
    if table.count > 1:
        pieces.append(f"{table.parts_done} of {table.count} parts done")
    return " · ".join([*pieces, *_speed(table)])


def ended(snapshot: SnapshotProgress) -> str:
    """The last line about a snapshot."""
    done, _ = snapshot.tables_done
    return (
        f"{_name(snapshot)} done: {snapshot.rows:,} rows of {done:,} tables; "
        f"in this run {duration(snapshot.seconds)}, {snapshot.speed.overall:,.0f} rows/s"
    )


def duration(seconds: float) -> str:
    """A time for people: 0:07, 12:30, 3:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _name(snapshot: SnapshotProgress) -> str:
    return "incremental snapshot" if snapshot.is_beside else "snapshot"


def _rows(of: SnapshotProgress | TableProgress) -> str:
    if of.about is None:
        return f"{of.rows:,} rows"
    if of.done:
        return f"{of.rows:,} rows, all"
    share = percent(of)
    words = (
        f"{of.rows:,} of about {of.about:,} rows" if of.about > of.rows else f"{of.rows:,} rows, more than was thought"
    )
    return words if share is None or of.about <= of.rows else f"{words} ({share} %)"


def _share(table: TableProgress) -> str:
    share = percent(table)
    return f"{table.rows:,} rows" if share is None else f"{share} %"


def _speed(of: SnapshotProgress | TableProgress) -> list[str]:
    if of.done:
        return [f"{of.speed.overall:,.0f} rows/s"]
    if not of.speed.overall:
        return []
    left = seconds_left(of)
    words = [f"{of.speed.recent:,.0f} rows/s, {of.speed.overall:,.0f} overall"]
    return words if left is None else [*words, f"{duration(left)} left"]


def _plain(name: str) -> str:
    """A table's name without the quotes that records have around its parts."""
    return name[1:-1].replace('"."', ".").replace('""', '"') if name.startswith('"') else name
