"""tailrace's side of the benchmark, in a process of its own: reads a range of the log and discards the records.

    python bench/engine_side.py JOB.json

The job has the connector's properties, the range and how often to read it. Each reading prints a line of JSON. The first one
warms up (compiled code is loaded from its cache, buffers grow); its figures count only if the job wants nothing but the peak of
memory and no further readings.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.load import from_mapping
from tailrace.events.pipeline import pipeline_of


def main(path: str) -> None:
    """Do the readings of a job."""
    job = json.loads(Path(path).read_text())
    connector = connector_for(from_mapping(job["properties"]))
    point = connector.start_point() if job.get("start") is None else None
    history = point.history if point else job["history"]
    for reading in range(job["readings"] + 1):
        figures = read(connector, job["start"], job["until"], history)
        if reading or not job["readings"]:
            print(json.dumps(figures), flush=True)


def read(connector: Any, start: dict[str, Any], until: dict[str, Any], history: Any) -> dict[str, float]:
    """Decode, shape and encode a range; returns the figures."""
    changes = records = size = batches = largest = 0
    cpu, wall = time.process_time(), time.perf_counter()
    pipeline = pipeline_of(connector.settings)
    for batch in connector.read(LogRange(start, until), Progress("", start), history, pipeline.new_events):
        changes += batch.changes
        made = pipeline.records(batch.events, interleaved=batch.is_interleaved)
        records += sum(len(each) for each in made)
        bytes_ = sum(int(each.values.offsets[-1]) + int(each.keys.offsets[-1]) for each in made)
        size += bytes_
        batches += 1
        largest = max(largest, bytes_)
    return {
        "changes": changes,
        "records": records,
        "bytes": size,
        "batches": batches,
        "largest_batch": largest,
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


if __name__ == "__main__":
    main(sys.argv[1])
