"""What Debezium has told of the transaction that its offset lies in (`provide.transaction.metadata`).

With each event Debezium's offset has the transaction in progress, whose BEGIN was sent, and how many records of each table
were counted in it. After a restart Debezium continues with both: it sends no BEGIN, and the numbers of the transaction's
other records, and those in its END, follow the counted ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_ID: Final = "transaction_id"
_COUNT: Final = "transaction_data_collection_order_"


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of a transaction.

    Attributes:
        is_begun: whether its BEGIN was sent, and its END is still to come.
        counts: the numbers of its counted records, by table, as it is named in transaction metadata.

    """

    is_begun: bool = False
    counts: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        """The number of all its counted records."""
        return sum(count for _, count in self.counts)

    def of(self, table: str) -> int:
        """The number of a table's."""
        return dict(self.counts).get(table, 0)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"begun": self.is_begun, "counts": dict(self.counts)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Told:
        """Parse it from JSON."""
        return cls(bool(given["begun"]), tuple((str(name), int(count)) for name, count in given["counts"].items()))


def transaction_of(offset: Mapping[str, Any]) -> str | None:
    """The id of the transaction in progress, which is the text of its commit LSN; None: there is none."""
    found = offset.get(_ID)
    return None if found is None else str(found)


def told_of(offset: Mapping[str, Any]) -> Told:
    """What was told of the transaction in progress."""
    if transaction_of(offset) is None:
        return Told()
    counts = ((name.removeprefix(_COUNT), int(count)) for name, count in offset.items() if name.startswith(_COUNT))
    return Told(is_begun=True, counts=tuple(counts))


def in_offset(told: Told, transaction: str) -> dict[str, Any]:
    """The members of an offset that say the same."""
    if not told.is_begun:
        return {}
    return {_ID: transaction, **{_COUNT + name: count for name, count in told.counts}}
