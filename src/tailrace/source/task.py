"""The task of the direct way: take the lane over, read the log from the sink's progress on, deliver, commit, repeat.

It ends at its time budget or when another lane has ended the turn, at the end of a bounded turn, or when the driver tells it to
stop. A kill at any time is just as
safe, because only commits count. Retriable errors of the source are retried here, from the last batch that was read
completely, without giving up the lane. Whatever error ends reading, everything read before it is delivered. A lost
sink is opened again: it knows whether its last commit succeeded, and reading resumes from its progress.

Some batches must be in one commit with those that follow (`LogBatch.is_open`). If reading ends after such a batch, everything
since the last commit is dropped. A sink may give up a commit that takes too long; once may be an accident, repeatedly
is an error (`TransactionTimeouts`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from typing import Protocol, cast

from tailrace.changes.records import Records
from tailrace.connectors.base import FIGURES, HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.interface import Connector
from tailrace.errors import (
    FencedError,
    ProgressError,
    RetriableError,
    SinkLostError,
    TailraceError,
    TransactionTooLongError,
)
from tailrace.failpoints import hit
from tailrace.link import Reporter
from tailrace.preparation.executor import prepare_executor
from tailrace.remote_link import RemoteReporter
from tailrace.source.job import Job
from tailrace.source.loaded_code import LoadedCode
from tailrace.source.log_lines import lines_to
from tailrace.source.retry import paused
from tailrace.source.slices import Turn, check_progress
from tailrace.source.transaction_timeouts import TransactionTimeouts
from tailrace.source.uncommitted import Figures, Uncommitted
from tailrace.told_turns import Attempt


def deliver(job: Job, turn: Turn, attempt: Attempt = Attempt()) -> Figures:  # noqa: B008 -- immutable
    """Do a turn; returns its figures.

    Raises:
        TailraceError: what ends the task, or what another one of this query has ended with (`told_turns`).

    """
    with closing(job.new_reporter()) as reporter, _lines_of(reporter):
        reporter.begin_turn(turn.number, turn.lane.number, attempt.task, job.query)
        if attempt.before:
            reporter.wait()
        reporter.raise_failure()
        if attempt.before and turn.is_bounded and reporter.stopping():
            reporter.raise_stopped()  # Spark tries again what was stopped: that need not log in anywhere
        with closing(_Delivery(job, turn, reporter)) as delivery:
            try:
                figures = delivery.run()
            except FencedError:
                # A turn that ended quietly would count as done: a bounded one, or one that has to fix the beginning.
                if turn.is_bounded or not delivery.has_begun or not delivery.superseded_by_same_run():
                    raise
                return Figures()
            except TailraceError as error:
                reporter.fail(error)
                raise
        if not turn.is_bounded:
            reporter.end_turn()
        return figures


@contextmanager
def _lines_of(reporter: Reporter | RemoteReporter) -> Iterator[None]:
    """Log lines go to the driver; on another machine to the executor's log as well, as the driver may not be reached."""
    with ExitStack() as stack:
        if not reporter.connected or isinstance(reporter, RemoteReporter):
            stack.enter_context(lines_to(None))
        if reporter.connected:
            stack.enter_context(lines_to(reporter.send))
        yield


class _Delivery:
    """The state of one turn."""

    def __init__(self, job: Job, turn: Turn, reporter: Reporter | RemoteReporter) -> None:
        self._job = job
        self._turn = turn
        prepare_executor()
        self._pipeline = job.new_pipeline()  # before the time budget begins: it loads compiled code
        self._sink = job.new_sink()
        self._reporter = reporter
        self._figures = Figures(lane=turn.lane.number)
        self._history: list[HistoryRecord] = []
        self._progress: Progress | None = None
        self._uncommitted = Uncommitted()
        self._ends_at = time.monotonic() + job.pace.slice_seconds
        self._last_commit = 0.0
        self._failures = 0
        self._losses = 0
        self._too_long = TransactionTimeouts()
        self._loaded_code = LoadedCode()

    @property
    def has_begun(self) -> bool:
        """Whether the sink has progress of this lane."""
        return self._progress is not None or not self._turn.first

    def close(self) -> None:
        """Close the sink."""
        self._sink.close()

    def superseded_by_same_run(self) -> bool:
        """Whether a `FencedError` only means that another attempt of this run is at work."""
        return self._sink.superseded_by_same_run()

    def run(self) -> Figures:
        """Deliver until the turn is over; a lost sink is opened again, and reading resumes from its progress."""
        while not self._with_sink():
            self._sink.close()
            self._sink = self._job.new_sink()
        return self._figures

    def _with_sink(self) -> bool:
        """Deliver until the turn is over (True), or the sink is lost."""
        try:
            self._open()
            while not self._attempt():
                pass
        except RetriableError as error:
            self._uncommitted = Uncommitted()
            self._losses += 1
            self._too_long.lost(error)
            return self._pause(error, self._losses) or self._gives_way(error)
        return True

    def _open(self) -> None:
        opened = self._sink.open(self._turn.lane.number)
        first = self._turn.first and self._progress is None
        floor = self._progress.delivered if self._progress else self._turn.floor
        check_progress(first=first, floor=floor, progress=opened.progress)
        self._progress, self._history = opened.progress, list(opened.history)

    def _attempt(self) -> bool:
        """Read until the end, or until a retriable error of the source; returns whether the end was reached."""
        try:
            connector = self._job.new_connector()
            progress = self._progress or self._begin(connector)
            if self._turn.snapshot:
                self._read_snapshot(connector, progress)
            else:
                self._read(connector, progress)
        except SinkLostError:
            raise
        except RetriableError as error:
            if self._uncommitted.progress is not None:
                self._drop()  # it is read again, from the last commit on
            self._failures += 1
            return self._pause(error, self._failures) or self._gives_way(error)
        return True

    def _begin(self, connector: Connector) -> Progress:
        """Make the first commit: nothing is delivered by it, but from then on the starting position is fixed."""
        point = connector.start_point()
        self._uncommitted = Uncommitted(point.progress, list(point.history))
        self._commit()
        return cast("Progress", self._progress)

    def _read(self, connector: Connector, progress: Progress) -> None:
        if progress.snapshot_is_pending:
            raise ProgressError(
                f"lane {self._turn.lane.number} has a part of a snapshot left to read, which comes before the log: "
                "run tailrace anew with this configuration, it goes on with the snapshot first"
            )
        range_ = LogRange(progress.restart, self._turn.until, lane=self._turn.lane)
        self._deliver(connector.read(range_, progress, tuple(self._history), self._pipeline.new_events))

    def _read_snapshot(self, connector: Connector, progress: Progress) -> None:
        """A lane's part of the snapshot; nothing, while there are other lanes than it was begun for."""
        if progress.snapshot is None or progress.snapshot["lanes"] != self._turn.lane.count:
            return
        if progress.snapshot_is_pending:
            history, new_events = tuple(self._history), self._pipeline.new_events
            self._deliver(connector.snapshot(self._turn.lane, progress, history, self._others, new_events))
        elif FIGURES in progress.snapshot:  # of an earlier run
            self._figures.snapshot = progress.snapshot[FIGURES]
            self._reporter.report(asdict(self._figures))

    def _others(self) -> list[Progress | None]:
        """The progress of the other lanes."""
        own = self._turn.lane
        return [self._sink.peek(number) for number in range(own.count) if number != own.number]

    def _deliver(self, batches: Iterator[LogBatch]) -> None:
        with closing(cast("_Closable", batches)):
            for batch, records in self._read_until_error(batches):
                if batch.is_open and not self._uncommitted.is_open:
                    self._commit()  # so that what came before is not dropped with it
                self._take(batch, records)
                if self._is_due(batch):
                    self._commit()
                if self._is_over():
                    break
                self._loaded_code.saw(batch)
        self._commit()

    def _read_until_error(self, batches: Iterator[LogBatch]) -> Iterator[tuple[LogBatch, list[Records]]]:
        """The batches with their records; if an error of reading or encoding ends them, all before it is committed first."""
        try:
            for batch in batches:
                yield batch, self._pipeline.records(batch.events, interleaved=batch.is_interleaved)
        except TailraceError:
            self._commit()
            raise

    def _take(self, batch: LogBatch, records: list[Records]) -> None:
        self._too_long.begins(batch, records)
        size = self._sink.write(records) if records else 0
        self._uncommitted.add(batch, sum(map(len, records)), size, self._pipeline.take_skipped())
        if not batch.is_open:
            self._failures = 0

    def _is_due(self, batch: LogBatch) -> bool:
        pace, waiting = self._job.pace, self._uncommitted
        if waiting.progress is None or waiting.is_open:
            return False
        if pace.commit_at_head and (batch.at_head or batch.idle) and waiting.has_content:
            return True
        enough = waiting.bytes >= pace.commit_bytes or waiting.changes >= pace.commit_changes
        return enough or time.monotonic() - self._last_commit >= pace.commit_seconds

    def _is_over(self) -> bool:
        if self._reporter.stopping():
            self._stop()
            return True
        return not self._uncommitted.is_open and self._time_is_over()

    def _time_is_over(self) -> bool:
        return not self._turn.is_bounded and (self._reporter.turn_is_over() or time.monotonic() >= self._ends_at)

    def _stop(self) -> None:
        self._commit()
        self._reporter.raise_failure()  # of another lane: Spark must not treat the turn as done
        if self._turn.is_bounded or self._progress is None:
            self._reporter.raise_stopped()

    def _commit(self) -> None:
        """Commit what was written, or drop it if it can't be committed yet (`is_open`)."""
        if self._uncommitted.is_open:
            self._drop()
            return
        waiting, self._uncommitted = self._uncommitted, Uncommitted()
        self._last_commit = time.monotonic()
        if waiting.progress is None or (waiting.progress == self._progress and not waiting.has_content):
            return
        self._sink.commit(waiting.progress, waiting.history)
        self._losses = 0
        self._too_long.committed()
        self._progress = waiting.progress
        self._history += waiting.history
        hit("task.committed")
        waiting.count_into(self._figures)
        self._reporter.report(asdict(self._figures))
        self._figures.snapshot = None

    def _drop(self) -> None:
        """Go back to the last commit."""
        self._uncommitted = Uncommitted()
        self._too_long.dropped()
        self._sink.close()
        self._sink = self._job.new_sink()
        self._open()

    def _pause(self, error: RetriableError, failures: int) -> bool:
        """Wait before the next attempt; whether the turn is over instead."""
        pace = self._job.pace
        if 0 <= pace.max_retries < failures:
            raise error
        self._reporter.notice(f"{error}; trying again in {pace.retry_seconds:g} s")
        stopped = paused(pace.retry_seconds, self._reporter.stopping)
        if stopped:
            self._stop()
        return stopped

    def _gives_way(self, error: RetriableError) -> bool:
        """Whether a lane that tries again and again ends its turn, whatever it has lost: others wait for that.

        Not where attempts are counted, as the next task would count anew: by the configuration, or since a transaction took too
        long, which is an error the second time. Nor before the beginning is fixed.
        """
        is_counted = self._job.pace.max_retries >= 0 or isinstance(error, TransactionTooLongError)
        return not is_counted and self.has_begun and self._time_is_over()


class _Closable(Protocol):
    """What reading gives: a generator, which holds a connection until it is closed."""

    def __iter__(self) -> Iterator[LogBatch]: ...

    def close(self) -> None: ...
