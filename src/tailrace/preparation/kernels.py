"""All kernels, compiled by as many processes as there are cores. Nothing here imports numba.

A file that says so in its name marks a folder in which all kernels of these sources are, so that a run finds out in some
milliseconds. Two runs that start at once, of one user or of several, compile them once: the second waits for the first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Final

from tailrace.errors import TailraceError
from tailrace.kernels import stamps
from tailrace.kernels.folders import VARIABLE, folders, writable_folder
from tailrace.kernels.locking import locked
from tailrace.preparation.kernel_modules import entries_of, kernel_modules

if TYPE_CHECKING:
    from tailrace.preparation.steps import Report

MOST_PROCESSES: Final = 8
"""A process takes 250 MB, and the longest module as long as four processes need for all the others."""
OLD_SECONDS: Final = 30 * 24 * 3600
"""After which files that this version does not use are removed."""


class Kernels:
    """All kernels, compiled."""

    name = "kernels"
    verb = "compiling"

    def is_done(self) -> bool:
        """Whether a folder is marked."""
        return any((folder / _mark()).exists() for folder in folders())

    def make(self, report: Report) -> None:
        """Compile what is not there.

        Raises:
            TailraceError: there is no place for it, or a kernel could not be compiled.

        """
        folder = writable_folder()
        if folder is None:
            raise TailraceError(
                f"compiled kernels can be kept nowhere: none of {', '.join(map(str, folders()))} can be written to; "
                f"set {VARIABLE} to a folder that can"
            )
        with locked(folder / "compiling.lock", report.waiting):
            if self.is_done():
                return
            compile_modules(kernel_modules(), report)
            (folder / _mark()).touch()
            _remove_old(folder)


def compile_modules(modules: tuple[str, ...], report: Report) -> None:
    """Compile the kernels of modules that are not in a file.

    Raises:
        TailraceError: one could not be compiled.

    """
    report.total(sum(entries_of(module) for module in modules))
    waiting: SimpleQueue[str] = SimpleQueue()
    for module in modules:
        waiting.put(module)
    count = min(_cores(), MOST_PROCESSES, len(modules))
    with ThreadPoolExecutor(count) as pool:
        outcomes = [pool.submit(_compile_some, waiting, report) for _ in range(count)]
        try:
            for outcome in outcomes:
                outcome.result()
        finally:
            _empty(waiting)  # at an error, or Ctrl-C, the others end after the module that they are at


def _compile_some(waiting: SimpleQueue[str], report: Report) -> None:
    with tempfile.TemporaryFile("w+") as errors, _process(errors) as (process, orders, answers):
        for module in _taken(waiting):
            orders.write(f"{module}\n")
            orders.flush()
            if not _is_compiled(answers, report):
                process.wait()
                errors.seek(0)
                last = (errors.read().strip().splitlines() or [f"exit code {process.returncode}"])[-1]
                raise TailraceError(f"the kernels of {module} could not be compiled: {last}")


def _is_compiled(answers: IO[str], report: Report) -> bool:
    """Read a module's lines; False if the process ended in between."""
    for line in answers:
        if not line.strip():
            return True
        report.done(line.strip())
    return False


@contextmanager
def _process(errors: IO[str]) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    command = [sys.executable, "-m", "tailrace.preparation.compiling_process"]
    path = os.pathsep.join(filter(None, sys.path))  # a worker of Spark has tailrace from places that only it knows
    process = subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    orders, answers = process.stdin, process.stdout
    if orders is None or answers is None:
        raise AssertionError("both are pipes")
    with process:
        try:
            yield process, orders, answers
        except BaseException:
            process.kill()
            raise


def _taken(waiting: SimpleQueue[str]) -> Iterator[str]:
    while True:
        try:
            yield waiting.get_nowait()
        except Empty:
            return


def _empty(waiting: SimpleQueue[str]) -> None:
    for _ in _taken(waiting):
        pass


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _mark() -> str:
    return f"all-{stamps.digest_of_stamps(kernel_modules())}"


def _remove_old(folder: Path) -> None:
    """Remove what other sources left long ago: nothing else says that it is of no use any more."""
    limit = time.time() - OLD_SECONDS
    for path in folder.iterdir():
        if path.stat().st_mtime < limit:
            path.unlink(missing_ok=True)
