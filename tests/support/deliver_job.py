"""Runs one task of the direct way, in a process that a test kills: `deliver_job.py JOB.json [UNTIL.json]`."""

import json
import sys
from pathlib import Path

from tailrace.connectors.base import Lane
from tailrace.source.job import Job
from tailrace.source.slices import Turn
from tailrace.source.task import deliver

if __name__ == "__main__":
    job = Job.from_json(Path(sys.argv[1]).read_text())
    until = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else None
    deliver(job, Turn(Lane(), True, "", until))
