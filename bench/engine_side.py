"""tailrace's side of the benchmark, in a process of its own: read a range of the log, throw the records away.

    python bench/engine_side.py JOB.json

The job names the connector's properties, the range and how often to read it. The first reading warms up (compiled code
comes out of its cache, buffers grow); the figures are those of the others. One line of JSON a reading goes to stdout.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from tailrace.config.load import from_mapping
from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange, Progress


def main(path: str) -> None:
    """Do the readings of a job."""
    job = json.loads(Path(path).read_text())
    connector = connector_for(from_mapping(job["properties"]))
    point = connector.start_point() if job.get("start") is None else None
    history = point.history if point else job["history"]
    for reading in range(job["readings"] + 1):
        figures = read(connector, job["start"], job["until"], history)
        if reading:
            print(json.dumps(figures), flush=True)


def read(connector: Any, start: dict[str, Any], until: dict[str, Any], history: Any) -> dict[str, float]:
    """Decode, shape and encode a range; what it took."""
    changes = records = size = 0
    cpu, wall = time.process_time(), time.perf_counter()
    for batch in connector.read(LogRange(start, until), Progress("", start), history):
        changes += batch.changes
        for each in batch.records:
            records += len(each)
            size += int(each.values.offsets[-1]) + int(each.keys.offsets[-1])
    return {
        "changes": changes,
        "records": records,
        "bytes": size,
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


if __name__ == "__main__":
    main(sys.argv[1])
