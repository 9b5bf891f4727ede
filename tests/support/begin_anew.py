"""Begins a new snapshot, in a process that a test kills: `begin_anew.py JOB.json`."""

import sys
from contextlib import closing
from pathlib import Path

from tailrace.source import new_snapshot
from tailrace.source.job import Job

if __name__ == "__main__":
    job = Job.from_json(Path(sys.argv[1]).read_text())
    with closing(job.new_sink()) as sink:
        claim = sink.claim(job.lanes)
    new_snapshot.begin(job, claim, 1, lambda question: question())
