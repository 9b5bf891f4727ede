"""What is made once for a machine (`tailrace.preparation`), with a progress bar: `tailrace compile`, and before a first run."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from tailrace.errors import TailraceError
from tailrace.preparation.steps import PREPARATIONS, Preparation


def prepare_all() -> None:
    """Make whatever is not there; a line for each.

    Raises:
        TailraceError: something can't be made.

    """
    console = _console()
    for preparation in PREPARATIONS:
        if preparation.is_done():
            console.print(f"{preparation.name}: there already")
        else:
            _make(preparation, console)


def prepare_for_run() -> None:
    """The same without a word about what is there. A run can do without: it makes things when it meets them."""
    console = _console()
    for preparation in PREPARATIONS:
        try:
            if not preparation.is_done():
                _make(preparation, console)
        except (TailraceError, OSError) as error:
            console.print(Text(f"warning: {error}; the run makes {preparation.name} when it needs them", "yellow"))


def _make(preparation: Preparation, console: Console) -> None:
    began = time.monotonic()
    with Bar(preparation, console) as bar:
        preparation.make(bar)
    if bar.made:
        console.print(f"{preparation.name}: {bar.made} in {time.monotonic() - began:.0f} s, once for this machine")


def _console() -> Console:
    return Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)


class Bar:
    """How far a preparation is: a bar on a terminal, a line elsewhere. Called from several threads."""

    def __init__(self, preparation: Preparation, console: Console) -> None:
        self.made = 0
        self._what = f"{preparation.verb} {preparation.name}"
        self._console = console
        self._lock = threading.Lock()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def total(self, count: int) -> None:
        """How many parts there are."""
        if not self._console.is_terminal:
            self._console.print(f"{self._what}: {count} of them, once for this machine")
        self._task = self._progress.add_task(self._what, total=count)

    def done(self, what: str) -> None:  # noqa: ARG002 -- names of kernels mean nothing to people
        """One of them is done."""
        with self._lock:
            self.made += 1
        if self._task is not None:
            self._progress.advance(self._task)

    def waiting(self) -> None:
        """Another process does the same, and is waited for."""
        self._console.print(f"another process is {self._what}: waiting for it")
