"""A target's progress, for commands that show or change it while no run is active."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import typer
from attrs import evolve, frozen

from tailrace.config.settings import Settings
from tailrace.config.worker import Worker
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.errors import ConfigError, ProgressError
from tailrace.link import Link
from tailrace.schema.history import identity, new_records
from tailrace.sinks.base import RecordedState
from tailrace.sinks.lease import Lease
from tailrace.source.job import Job
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target


@frozen
class StoredProgress:
    """A connector's progress in a target."""

    job: Job
    settings: Settings
    target: Target

    @classmethod
    def of(cls, config: Path, to: str, checkpoint: str | None, worker: Path | None = None) -> StoredProgress:
        """The progress of a configuration file's connector, with its Connect worker's settings."""
        if to == "console" and checkpoint is None:
            raise ConfigError("--to console keeps no progress without --checkpoint DIR")
        from_worker = Worker.read(worker)
        target = Target.parse(from_worker.target(to) if from_worker else to, checkpoint)
        target.discard()  # a folder for a run's checkpoint is not needed
        return cls(*load_job(config, target, from_worker), target)

    def lanes(self) -> list[Progress]:
        """The recorded progress of each lane; empty if nothing is recorded."""
        with closing(self.job.new_sink()) as sink:
            first = sink.peek(0)
            found = [] if first is None else [first]
            while found and (progress := sink.peek(len(found))) is not None:
                found.append(progress)
            return found

    def claimed(self) -> list[Progress]:
        """The same; from now on an active run can no longer commit.

        Raises:
            ProgressError: a lane has no progress.

        """
        recorded = len(self.lanes())
        if not recorded:
            raise ProgressError(f"nothing was delivered to {self.target.text} yet: there is no progress")
        with self._leased() as lease, closing(self.job.new_sink()) as sink:
            found = sink.claim(recorded, lease.confirm).progress
        progress = [each for each in found if each is not None]
        if len(progress) < len(found):
            raise ProgressError(
                f"some lanes of {self.target.text} have delivered nothing yet: let the connector run first"
            )
        return progress

    @contextmanager
    def _leased(self) -> Iterator[Lease]:
        """Keep runs away meanwhile, without disturbing an active one.

        Raises:
            FencedError: a run is active.

        """
        with closing(Lease(self.job.new_lease(), self.job.target, self.job.run)) as lease:
            lease.take(_say, lambda: False)
            yield lease

    def history(self) -> Sequence[HistoryRecord]:
        """The schema history that is kept with the progress."""
        with closing(self.job.new_sink()) as sink:
            return sink.open(0).history

    def store(self, progress: Progress, history: Callable[[RecordedState], Sequence[HistoryRecord]]) -> None:
        """Set all lanes to one position, and add the history records that they lack."""
        with self._leased() as lease, closing(Link(lambda *_: None)) as link:
            job = evolve(self.job, link=link.address)
            with closing(job.new_sink()) as sink:
                lanes = sink.claim(len(self.lanes()) or 1, lease.confirm).lanes
            for lane in range(lanes):
                with closing(job.new_sink()) as sink:
                    opened = sink.open(lane)
                    known = {identity(record) for record in opened.history}
                    sink.commit(progress, list(new_records(history(opened), known).values()))
            self._remove_checkpoint()

    def _remove_checkpoint(self) -> None:
        """Remove the checkpoint, which has the old position as a floor; one that is elsewhere only Spark can reach."""
        folder = self.target.checkpoint
        if isinstance(folder, str):
            _say(f"remove {folder} before the next run: the checkpoint still has the old position")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _say(text: str) -> None:
    typer.echo(text, err=True)
