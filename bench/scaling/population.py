"""The tables of a modelled database: most are small, a few are huge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.mysql.snapshots.splitting import LEAST_ROWS
from tailrace.connectors.shared.snapshots.chunk_sizes import ROWS_AT_MOST
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

SKEW: Final = 1.5  # the n-th largest table has 1 / n ** SKEW of the largest one's rows
SCHEMAS: Final = 7
WORDS: Final = ("order", "item", "customer", "invoice", "stock", "session", "event", "payment", "shipment")
KEY: Final[Mapping[str, Any]] = {"index": "PRIMARY", "columns": [{"name": "id", "kind": "int", "unsigned": True}]}


@dataclass(frozen=True)
class Population:
    """Tables with a numeric key from 1 to the number of their rows.

    Attributes:
        rows: of each table, in reading order.

    """

    rows: Mapping[TableId, int]

    @property
    def total(self) -> int:
        """The rows of all tables."""
        return sum(self.rows.values())

    @property
    def keys(self) -> dict[TableId, Any]:
        """The tables' keys, as MySQL's connector stores them."""
        return dict.fromkeys(self.rows, KEY)

    @property
    def by_name(self) -> dict[str, int]:
        """The rows by the names that segments have."""
        return {quoted_id(table): rows for table, rows in self.rows.items()}


def population(tables: int, chunks: int) -> Population:
    """So many tables that are read in about so many chunks, in an order that has nothing to do with their size."""
    shares = [1 / (place + 1) ** SKEW for place in range(tables)]
    rows_of_all = chunks * ROWS_AT_MOST
    for _ in range(20):  # a small table also takes a chunk
        largest = rows_of_all / sum(shares)
        sizes = [max(1, round(share * largest)) for share in shares]
        found = sum(-(-size // ROWS_AT_MOST) for size in sizes)
        rows_of_all = max(1, round(rows_of_all * chunks / found))
    step = next(step for step in (7919, 7907, 7901) if tables % step)  # prime: each place comes once
    return Population({_table(n): sizes[n * step % tables] for n in range(tables)})


class Splitter:
    """A `TableSplitter` that knows the rows."""

    least_rows = LEAST_ROWS

    def __init__(self, rows: Mapping[TableId, int]) -> None:
        self._rows = rows

    def split_points(self, table: TableId, parts: int) -> Sequence[Bound]:
        """The bounds that split a table into equal parts."""
        rows = self._rows[table]
        return [[rows * part // parts] for part in range(1, parts)] if rows >= LEAST_ROWS else []

    def span(self, table: TableId) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column."""
        return 1, self._rows[table]


def _table(number: int) -> TableId:
    words = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
    return TableId(f"shop_{number % SCHEMAS}", "", f"{words[0]}_{words[1]}_{number}")
