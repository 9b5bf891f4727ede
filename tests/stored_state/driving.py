"""Bringing today's code to a state that is worth storing: lanes one after the other, without Spark, stopped after so many
commits. Only the generator uses this; it may change with the code.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any
from unittest.mock import patch

from attrs import evolve

from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.change_tables import window_tables
from tailrace.connectors.change_tables.snapshots import pending_chunks
from tailrace.connectors.change_tables.snapshots import splitting as splitting_of_sqlserver
from tailrace.connectors.mysql.snapshots import splitting as splitting_of_mysql
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.source import new_snapshot, task
from tailrace.source.job import Job, Pace
from tailrace.source.slices import Turn

HOST = "earlier-host"
Enough = Callable[[Progress], bool]


class Death(BaseException):
    """Nobody on the way catches it."""


class Lanes:
    """The lanes of a job, each driven by hand."""

    def __init__(self, document: Mapping[str, Any], source: str, target: str) -> None:
        pace = Pace(commit_seconds=0, commit_at_head=True, slice_seconds=1e6, retry_seconds=0.2, max_retries=20)
        self.job = Job(document=document, source=source, target=target, pace=pace)

    def claim(self, lanes: int) -> None:
        """From now on there are so many."""
        with elsewhere(), closing(self.job.new_sink()) as sink:
            claim = sink.claim(lanes)
        assert claim.lanes == lanes, claim
        self.job = evolve(self.job, lanes=lanes)

    def begin(self, lanes: int = 1) -> None:
        """A beginning at the log's head, for so many lanes."""
        self.claim(1)
        self.run(0)
        if lanes > 1:
            self.claim(lanes)

    def begin_snapshot(self, lanes: int) -> None:
        """A snapshot as of now, for so many lanes, of which nothing is read yet."""
        with closing(self.job.new_sink()) as sink:
            claim = sink.claim(1)
        with small_steps(), elsewhere():
            begun = new_snapshot.begin(self.job, claim, lanes, lambda question: question())
        (progress,) = begun.progress
        assert progress is not None
        assert progress.snapshot is not None
        assert progress.snapshot["lanes"] == lanes, progress.snapshot
        if lanes > 1:
            self.claim(lanes)

    def run(self, lane: int, *, enough: Enough | None = None, snapshot: bool = False) -> None:
        """A lane to the head of the log, or through its part of the snapshot, or until a commit that is `enough`."""
        until = None if snapshot or enough else self.job.new_connector().head()
        with small_steps(), elsewhere(), self._dying(lane, enough), suppress(Death):
            task.deliver(self.job, Turn(Lane(lane, self.job.lanes), True, "", until, snapshot))
            assert enough is None, f"lane {lane} was through before it was enough"

    def progress(self) -> list[Progress]:
        """How far each lane came."""
        with closing(self.job.new_sink()) as sink:
            found = [sink.peek(lane) for lane in range(self.job.lanes)]
        return [each for each in found if each is not None]

    @contextmanager
    def _dying(self, lane: int, enough: Enough | None) -> Iterator[None]:
        """The task dies behind the first commit that is enough."""

        def hit(name: str) -> None:
            if name == "task.committed" and enough is not None and enough(self.progress()[lane]):
                raise Death

        with patch.object(task, "hit", hit):
            yield


@contextmanager
def elsewhere() -> Iterator[None]:
    """What is stored tells of another host than the one on which a test goes on."""
    with patch.object(socket, "gethostname", lambda: HOST):
        yield


@contextmanager
def small_steps() -> Iterator[None]:
    """Batches, chunks and parts of a few rows, so that small tables have a middle."""
    with ExitStack() as stack:
        defaults = (300, *(LogReader.__init__.__defaults__ or ())[1:])  # bytes of a block
        stack.enter_context(patch.object(LogReader.__init__, "__defaults__", defaults))
        for module, name, value in (
            (chunk_sizes, "ROWS_AT_LEAST", 7),
            (chunk_sizes, "ROWS_AT_MOST", 7),
            (part_assembly, "ROWS_OF_A_PART", 10),
            (window_tables, "FIRST_ROWS", 4),
            (window_tables, "MOST_ROWS", 4),
            (pending_chunks, "GATHERED_BYTES", 1),
            (splitting_of_mysql, "LEAST_ROWS", 1),
            (splitting_of_sqlserver, "LEAST_ROWS", 1),
        ):
            stack.enter_context(patch.object(module, name, value))
        yield
