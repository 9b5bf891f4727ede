"""Measures how fast the stand-in sends the same rows to a reader that does nothing with them.

Each reader is a process of its own, the program of a module of the database (`System.reading`):

    python -m bench.sqlserver.ceiling READER JOB.json

It reads all of it three times - a stand-in encodes rows that are asked for a second time - and prints the last time as one line
of JSON. The first reader of a database discards the received bytes, which gives the stand-in's own speed; the others are the
drivers of both sides.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.change_tables.system import Data, Servers, System
from bench.measuring.processes import cpu_seconds

ROOT = Path(__file__).resolve().parent.parent.parent
PIECE = 50_000  # rows that the JDBC reader holds at once
WARM_UP = 2  # readings
Reading = Callable[[], int]
"""Reads everything; returns the number of rows."""


def measure(system: System, servers: Servers[Any], data: Data, task: str, reader: str) -> dict[str, float]:
    """Rows a second, and CPU seconds of the reader and of the server for a million rows."""
    job = {"pid": servers.source.pid, **system.job(servers, data, task, reader)}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(job))
        file.flush()
        command = [sys.executable, "-m", system.reading, reader, file.name]
        env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env, timeout=1800)
    if done.returncode:
        raise RuntimeError(f"reading with {reader} failed: {done.stderr[-2000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    if found["rows"] != data.change_rows:
        raise RuntimeError(f"{reader} read {found['rows']:,} rows and not {data.change_rows:,}")
    return {
        "rows": found["rows"],
        "seconds": round(found["seconds"], 3),
        "rate": round(found["rows"] / found["seconds"]),
        "changes_rate": round(data.changes / found["seconds"]),
        "reader_cpu": round(found["cpu"] / found["rows"] * 1e6, 3),
        "server_cpu": round(found["server_cpu"] / found["rows"] * 1e6, 3),
    }


def main(readers: Mapping[str, Callable[[dict[str, Any]], Reading]]) -> None:
    """Read to warm up, then once for the measurement; connecting does not count."""
    name, path = sys.argv[1:]
    job = json.loads(Path(path).read_text())
    read = readers[name](job)
    for _ in range(WARM_UP):
        read()
    cpu, server_cpu, begun = time.process_time(), cpu_seconds(job["pid"]), time.monotonic()
    rows = read()
    took = {"seconds": time.monotonic() - begun, "cpu": time.process_time() - cpu}
    print(json.dumps({"rows": rows, **took, "server_cpu": cpu_seconds(job["pid"]) - server_cpu}), flush=True)
    os._exit(0)
