"""Measures a server with many captured tables: how soon a side streams from it, and what an idle minute costs.

Both sides begin without a snapshot. Every half second a row is inserted into one of the tables, until the first of these is
visible to a read-committed consumer. Then nothing is written any more, and after a pause one minute is measured.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from bench.change_tables.system import IdleTables, Servers, System
from bench.measuring import connectors, topics
from bench.measuring.observing import observed
from bench.measuring.processes import Side, SideError, living, shared_mb
from bench.measuring.watching import Marker

SETTLING, WATCHED = 15.0, 60.0  # seconds
STREAMS_WITHIN = 300.0


def measure(system: System, servers: Servers[Any], tables: IdleTables, side: str, prefix: str) -> dict[str, Any]:
    """Do one run of one side; returns its figures, with CPU seconds and MB of the minute."""
    topic = f"{prefix}.{tables.name}"
    topics.create(servers.address, [topic], 1)
    tables.empty()
    given = system.properties(servers, prefix) | {"snapshot.mode": "no_data"}
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder, Marker(servers.address, topic) as marker:
            command = (
                connectors.tailrace_command(servers, given, Path(folder), available_now=False)
                if side == "tailrace"
                else connectors.connect_command(servers, given, Path(folder))
            )
            with observed(servers, side, command, Path(folder)) as (process, sampler, others):
                _until_it_streams(tables, process, marker)
                time.sleep(SETTLING)
                begun, before = time.time(), memory(process)
                time.sleep(WATCHED)
                process.check()
                ended, after = time.time(), memory(process)
            cpu = {group: sampler.ledger.between(group, begun, ended) for group in ("python", "java", *sampler.servers)}
            return {
                "streams_after": round((marker.seen or 0.0) - process.started, 2),
                **{f"{group}_cpu": round(seconds, 2) for group, seconds in cpu.items()},
                "mb_before": round(before),
                "mb_after": round(after),
                "others_cores_before": round(others, 2),
            }
    finally:
        topics.remove(servers.address, prefix)


def memory(side: Side) -> float:
    """The present memory of all its processes in MB; shared pages count once."""
    return sum(shared_mb(stat.pid) for stat in living(side.session))


def _until_it_streams(tables: IdleTables, side: Side, marker: Marker) -> None:
    number, deadline = 0, time.monotonic() + STREAMS_WITHIN
    while marker.seen is None:
        side.check()
        if time.monotonic() > deadline:
            raise SideError(side, f"{side.name} streamed nothing within {STREAMS_WITHIN:.0f} s")
        number += 1
        tables.insert(number)
        time.sleep(0.5)
