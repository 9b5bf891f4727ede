"""XA transactions: the log has their rows where they are prepared; they take effect at XA COMMIT, perhaps never.

Until then they are held here, as the log's own bytes, and the restart position stays before the oldest of them.
Their records have the position of the commit; their source blocks have the offsets of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from tailrace.connectors.mysql.log import Bytes, Int64, RowEvents, Transactions, XaCommit, XaPrepare, Xid
from tailrace.errors import NotInLogError, UnsupportedError

MOST_BYTES: Final = 128 << 20  # held in memory until XA COMMIT; above it reading stops


@dataclass(slots=True)
class XaTransaction:
    """The rows of one XA transaction, and where reading must begin to see them again."""

    file: str
    start: int
    gtids: str | None
    runs: list[RowEvents] = field(default_factory=list)
    bytes: int = 0


class XaTransactions:
    """The transactions that are neither committed nor rolled back, in log order."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._open: list[RowEvents] = []
        self._prepared: dict[Xid, XaTransaction] = {}

    @property
    def oldest(self) -> XaTransaction | None:
        """The oldest prepared one."""
        return next(iter(self._prepared.values()), None)

    def hold(self, run: RowEvents) -> None:
        """Keep the rows of the XA transaction that a run is part of, if it is."""
        events = np.flatnonzero(run.transactions.xa[run.transaction])
        if len(events):
            self._open.append(_copied(run, events))
            held = sum(len(each.data) for each in self._open) + sum(held.bytes for held in self._prepared.values())
            if held > self._most_bytes:
                raise UnsupportedError(
                    f"{run.file}:{run.start[events[-1]]}: XA transactions that are not committed have {held:,} bytes of "
                    f"changes in captured tables, more than the {self._most_bytes:,} that are held: commit or roll back "
                    "those that XA RECOVER shows, or exclude their tables (table.exclude.list)"
                )

    def prepare(self, item: XaPrepare, gtids: str | None) -> list[RowEvents]:
        """Mark a transaction as prepared; returns its rows if it commits in one phase. `gtids`: executed before it."""
        runs, self._open = self._open, []
        if item.one_phase:
            return _placed(runs, item)
        size = sum(len(run.data) for run in runs)
        self._prepared[item.xid] = XaTransaction(item.file, item.transaction.start, gtids, runs, size)
        return []

    def commit(self, item: XaCommit, *, is_new: bool) -> list[RowEvents]:
        """The rows of a transaction that is committed now; `is_new` if the commit is not delivered yet.

        Raises:
            NotInLogError: it was prepared before reading began, so its rows are not known.

        """
        held = self._prepared.pop(item.xid, None)
        if held is None and not is_new:
            return []
        if held is None:
            raise NotInLogError(
                f"{item.file}:{item.transaction.start}: XA COMMIT {item.xid}: it was prepared before the position where "
                "reading began, so its changes were not read. Begin again at a position before its XA PREPARE, or "
                "behind this one if its tables do not matter (tailrace offsets set)"
            )
        return _placed(held.runs, item)

    def roll_back(self, xid: Xid) -> None:
        """Drop the rows of this transaction."""
        self._prepared.pop(xid, None)


def _copied(run: RowEvents, events: Int64) -> RowEvents:
    """Copy some events of a run with their bytes, since the block is reused."""
    pieces: list[Bytes] = [run.data[run.body[e] : run.end[e]] for e in events]
    texts = [_query_of(run, int(e)) for e in events]
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    query_lengths = np.array([len(text) if text is not None else 0 for text in texts], np.int64)
    data = np.concatenate([*pieces, *(text for text in texts if text is not None)])
    ends, query_ends = np.cumsum(lengths), int(lengths.sum()) + np.cumsum(query_lengths)
    known = np.array([text is not None for text in texts])
    columns = ("kind", "start", "slot", "timestamp", "server_id", "flags", "part", "number")
    last = run.transactions
    return replace(
        run,
        data=data,
        body=ends - lengths,
        end=ends,
        query=np.where(known, query_ends - query_lengths, -1),
        query_length=query_lengths,
        transaction=np.zeros(len(events), np.int64),
        transactions=_only(last, int(run.transaction[events[-1]])),
        carried_query=b"",
        continued=False,
        executed=(),
        **{name: getattr(run, name)[events] for name in columns},
    )


def _query_of(run: RowEvents, event: int) -> Bytes | None:
    start = int(run.query[event])
    if start == -1:
        return None
    if start == -2:
        return np.frombuffer(run.carried_query, np.uint8)
    return run.data[start : start + int(run.query_length[event])]


def _only(transactions: Transactions, index: int) -> Transactions:
    names = [name for name in Transactions.__dataclass_fields__ if name != "origins"]
    return replace(transactions, **{name: getattr(transactions, name)[index : index + 1] for name in names})


def _placed(runs: list[RowEvents], item: XaPrepare | XaCommit) -> list[RowEvents]:
    """The runs as one transaction at the end of its committing event; its events keep their numbers."""
    return list(_numbered(runs, item.file, item.position - 2))


def _numbered(runs: list[RowEvents], file: str, begin: int) -> Iterator[RowEvents]:
    for number, run in enumerate(runs):
        one = np.ones(1, np.int64)
        end = (begin + 2) * one if number == len(runs) - 1 else 0 * one
        transactions = replace(run.transactions, xa=0 * one, begin=begin * one, end=end, outcome=one)
        yield replace(run, part=run.number, transactions=transactions, continued=number > 0, placed=(file, begin))
