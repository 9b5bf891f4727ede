"""The keys of the model: few of each kind, so that they meet often.

A key has a number within its kind. Its *rank* is its place in the database's order: keys of one rank are equal to the
collation and the database holds one of them at a time, though their bytes, and so their digests, differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tailrace.changes.records import Binary
from tailrace.snapshot.digests import Digests, digests_of


class Kind:
    """All keys of one kind: `bounds` as JSON, `ranks` and `digests` by number, `of_rank` the numbers by rank.

    The digest behind the last one stands for no key. `touches` are changes of one row, as the real code takes them.
    """

    def __init__(self, keys: Sequence[tuple[list[Any], Any, bytes]]) -> None:
        order = sorted({sorting for _, sorting, _ in keys})
        self.bounds = [bound for bound, _, _ in keys]
        self.ranks = [order.index(sorting) for _, sorting, _ in keys]
        self.of_rank = [[n for n, rank in enumerate(self.ranks) if rank == r] for r in range(len(order))]
        self.digests = _digests([*(raw for _, _, raw in keys), b""])
        self.touches: dict[Any, Any] = {}
        self._ranks = {tuple(bound): rank for bound, rank in zip(self.bounds, self.ranks, strict=True)}

    def rank(self, bound: Sequence[Any] | None, default: int) -> int:
        """The rank of a bound; `default` where there is none."""
        return default if bound is None else self._ranks[tuple(bound)]


def _digests(raw: list[bytes]) -> Digests:
    offsets = np.zeros(len(raw) + 1, np.int64)
    np.cumsum([len(one) for one in raw], out=offsets[1:])
    return digests_of(Binary(np.frombuffer(b"".join(raw), np.uint8), offsets))


def _integers() -> Kind:
    return Kind([([n], n, n.to_bytes(8, "little", signed=True)) for n in range(-3, 7)])


def _texts() -> Kind:
    return Kind([([text], text.lower(), text.encode()) for text in "aAbBcCdDeEfF"])


def _pairs() -> Kind:
    pairs = [(n, text) for n in (1, 2, 3) for text in "xXyY"]
    return Kind([([n, text], (n, text.lower()), bytes([n]) + text.encode()) for n, text in pairs])


KINDS = (_integers(), _texts(), _pairs())
