"""Whose turn it is: both sides measure each case in turn, the second round the other way round, so that what drifts hits both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from bench.measuring.program import Failures, new_prefix
from bench.measuring.results import Results

SIDES = ("tailrace", "Debezium")


class Case(Protocol):
    """What is measured, some times."""

    @property
    def rounds(self) -> int:
        """How often."""

    @property
    def label(self) -> str:
        """For messages."""

    def key(self) -> dict[str, Any]:
        """What tells its results from those of others."""


C = TypeVar("C", bound=Case)


@dataclass(frozen=True)
class Run(Generic[C]):
    """One run of one side."""

    case: C
    number: int
    side: str

    def key(self) -> dict[str, Any]:
        """What tells its result from all others."""
        return {**self.case.key(), "side": self.side, "round": self.number}


def turns(case: Case) -> Iterator[tuple[int, str]]:
    """Rounds and sides, in the order in which they run."""
    for number in range(case.rounds):
        yield from ((number, side) for side in (SIDES if number % 2 == 0 else reversed(SIDES)))


def missing(results: Results, kind: str, cases: Iterable[C], sides: Sequence[str] = SIDES) -> list[Run[C]]:
    """The runs of which there is no result."""
    runs = [Run(case, number, side) for case in cases for number, side in turns(case) if side in sides]
    return [run for run in runs if not results.has(kind, run.key())]


def measure_all(
    results: Results,
    kind: str,
    runs: Iterable[Run[C]],
    failures: Failures,
    measure: Callable[[C, str, str], Mapping[str, Any]],
    told: Callable[[C, str, Mapping[str, Any]], str],
) -> None:
    """Measure one after the other; a failure is noted, and the others go on.

    Args:
        results: where they are kept.
        kind: of the results.
        runs: which.
        failures: where failures are noted.
        measure: one run of a case, a side, with a topic prefix.
        told: the line for the screen.

    """
    for run in runs:
        with failures.noted(f"{run.case.label}, {run.side}"):
            figures = measure(run.case, run.side, new_prefix(run.side))
            results.add(kind, run.key(), figures)
            print(told(run.case, run.side, figures), flush=True)
