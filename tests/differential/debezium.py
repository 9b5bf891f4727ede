"""Real Debezium as a function: properties in, records out."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.differential import jars

QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx1g")
SILENT = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=error",)
FIRST_HISTORY = (
    '{{"source":{{"server":"{prefix}"}},"position":{{"file":"{file}","pos":{pos}}},"ts_ms":0,"databaseName":"",'
    '"ddl":"SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci","tableChanges":[]}}\n'
)


class DebeziumError(Exception):
    """Debezium stopped with an error."""


@dataclass(frozen=True)
class Figures:
    """What a run of the engine cost, from the first batch to the last."""

    records: int
    seconds: float
    cpu_seconds: float
    peak_mb: float = 0.0


def base_properties(port: int, prefix: str, folder: Path, *, host: str = "127.0.0.1") -> dict[str, str]:
    """Properties of a connector that keeps its state in `folder`."""
    return {
        **stored_in(folder),
        "connector.class": jars.MYSQL,
        "topic.prefix": prefix,
        "database.hostname": host,
        "database.port": str(port),
        "database.user": "root",
        "database.password": "",
        "database.server.id": "7001",
        "snapshot.mode": "no_data",
    }


def stored_in(folder: Path) -> dict[str, str]:
    """Properties of any connector: its name, and where it keeps its state."""
    return {
        "name": "differential",
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename": str(folder / "history.jsonl"),
        "offset.storage": "org.apache.kafka.connect.storage.FileOffsetBackingStore",
        "offset.storage.file.filename": str(folder / "offsets.dat"),
        "offset.flush.interval.ms": "0",
        "poll.interval.ms": "50",
    }


def run(
    properties: Mapping[str, str],
    out: Path,
    *,
    marker: str | None = None,
    offset: Mapping[str, Any] | None = None,
    idle: float = 60.0,
    patience: float = 60.0,
    count: bool = False,
    graceful: bool = False,
    most: int = 0,
    java_options: tuple[str, ...] = QUICK_START,
    log: tuple[str, ...] = SILENT,
) -> Figures:
    """Run the engine until a record of the topic `marker` has come, or nothing for `idle` seconds.

    With `offset` the engine starts there without a snapshot; its schema history must then lie in its place
    (such as `first_history`). With `most` it ends in good order behind that many records.
    """
    home = jars.java_home()
    job = {
        "properties": dict(properties),
        "out": str(out),
        "marker": marker,
        "offset": offset,
        "idle": idle,
        "patience": patience,
        "count": count,
        "graceful": graceful,
        "most": most,
        "libjvm": str(jars.libjvm(home)),
        "java_options": [*java_options, *log],
        "jars": [str(jar) for jar in jars.debezium_jars(properties["connector.class"])],
    }
    return _child(job)


def first_history(prefix: str, offset: Mapping[str, Any]) -> str:
    """A schema history that knows no table yet, so that an engine may start at `offset` with no snapshot."""
    return FIRST_HISTORY.format(prefix=prefix, file=offset["file"], pos=offset["pos"])


def _child(job: dict[str, Any]) -> Figures:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(job))
        file.flush()
        command = [sys.executable, str(Path(__file__).with_name("engine.py")), file.name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise DebeziumError(f"the engine's process ended with {done.returncode}: {done.stderr[-2000:]}")
    figures = json.loads(lines[-1])
    if figures["error"]:
        raise DebeziumError(f"{figures['error']}\n{done.stderr[-8000:]}")
    return Figures(figures["records"], figures["seconds"], figures["cpu_seconds"], figures["peak_mb"])
