"""Dividing a backlog by bytes: the tries between too few transactions and too many."""

from __future__ import annotations

from typing import Any

import pytest

from tailrace.connectors.change_tables import splitting
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window

LIMIT = 1000


def lsn(number: int) -> Lsn:
    return Lsn(number.to_bytes(10, "big"))


@pytest.fixture
def cut_at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Where a backlog is cut, and how often the server was asked: transactions by their bytes."""

    def cut(sizes: list[int]) -> tuple[int, int]:
        tries = []

        class Weights:
            has_any = True

            def __init__(self, *_: Any) -> None:
                pass

            def up_to(self, until: Lsn) -> int:
                tries.append(until)
                return sum(sizes[: int.from_bytes(until.raw, "big")])

        class Dialect:
            def nth_transaction(self, _session: Any, _window: Window, number: int) -> tuple[Lsn, bool]:
                return lsn(min(number, len(sizes))), number >= len(sizes)

        monkeypatch.setattr(splitting, "_Weights", Weights)
        dialect: Any = Dialect()
        session: Any = None
        end = splitting.range_end(dialect, session, Window(lsn(0), lsn(len(sizes))), LIMIT)
        return int.from_bytes(end.raw, "big"), len(tries)

    return cut


@pytest.mark.parametrize(
    "sizes",
    [
        [1] * 10_000,
        [100_000] * 50,
        [1] * 300 + [1_000_000] + [1] * 400,
        [1_000_000, *[1] * 10_000],
        [10] * 5,
        [10] * 256 + [1] * 10,
        [500] * 1_000,
    ],
    ids=["small", "each too large", "one large between", "large first", "few", "near the end", "middling"],
)
def test_a_part_has_at_most_twice_the_limit_or_one_transaction(cut_at: Any, sizes: list[int]) -> None:
    end, tries = cut_at(sizes)
    assert end == 1 or sum(sizes[:end]) <= 2 * LIMIT
    assert tries <= splitting.STEPS
    assert end == len(sizes) or sum(sizes[: end + 1]) > LIMIT / 2
