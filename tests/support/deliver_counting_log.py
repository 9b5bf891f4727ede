"""Runs one task of the direct way, in a process that a test kills: `deliver_counting_log.py JOB.json FIRST UNTIL`."""

import sys
from pathlib import Path

from tailrace.connectors.base import Lane
from tailrace.source.job import Job
from tailrace.source.slices import Turn
from tailrace.source.task import deliver

if __name__ == "__main__":
    job = Job.from_json(Path(sys.argv[1]).read_text())
    until = {"n": int(sys.argv[3])} if sys.argv[3] else None
    print("ready", flush=True)
    deliver(job, Turn(Lane(), sys.argv[2] == "first", "", until))
