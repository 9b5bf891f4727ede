"""The order of runs: the sides take turns, and their order alternates from round to round, so that drift affects both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from bench.measuring.program import Failures, new_prefix
from bench.measuring.results import Results

SIDES = ("tailrace", "Debezium")


class Case(Protocol):
    """What is measured in several rounds."""

    @property
    def rounds(self) -> int:
        """The number of rounds."""

    @property
    def label(self) -> str:
        """Its name in messages."""

    def key(self) -> dict[str, Any]:
        """The key of its results."""


C = TypeVar("C", bound=Case)


@dataclass(frozen=True)
class Run(Generic[C]):
    """One run of one side."""

    case: C
    number: int
    side: str

    def key(self) -> dict[str, Any]:
        """The key of its result."""
        return {**self.case.key(), "side": self.side, "round": self.number}


def turns(case: Case) -> Iterator[tuple[int, str]]:
    """The rounds and sides of a case, in the order of the runs."""
    for number in range(case.rounds):
        yield from ((number, side) for side in (SIDES if number % 2 == 0 else reversed(SIDES)))


def missing(results: Results, kind: str, cases: Iterable[C], sides: Sequence[str] = SIDES) -> list[Run[C]]:
    """The runs that have no result yet."""
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
    """Measure one run after the other; after a failure the others continue.

    Args:
        results: the file of results.
        kind: of the results.
        runs: to be measured.
        failures: collects failures.
        measure: measures a case and a side with a topic prefix.
        told: makes the line for the screen.

    """
    for run in runs:
        with failures.noted(f"{run.case.label}, {run.side}"):
            figures = measure(run.case, run.side, new_prefix(run.side))
            results.add(kind, run.key(), figures)
            print(told(run.case, run.side, figures), flush=True)
