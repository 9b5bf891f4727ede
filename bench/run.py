"""tailrace compared with Debezium's embedded engine: the same log, the same properties, no sink on either side.

    ./run bench [--workloads orders,wide,many] [--scale 1000000] [--rounds 3] [--schemas off,on] [--no-debezium]

Starts its own MySQL, writes each workload into its log, and lets both sides read it in turn. The figures are medians over the
rounds. Compare columns of one run only, not different runs, because machines drift. --write puts the table into
docs/reference/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

import workloads  # noqa: E402
from pages import BENCHMARKS as PAGE  # noqa: E402
from pages import replace_opening  # noqa: E402

from tailrace.connectors import connector_for  # noqa: E402
from tailrace.connectors.load import from_mapping  # noqa: E402
from tailrace_standins.servers.mysql_server import MySqlServer  # noqa: E402

JAVA = ("-Xmx2g", "-XX:+UseG1GC")


@dataclass(frozen=True)
class Side:
    """The figures of one side for one workload."""

    changes: int
    seconds: float
    cpu_seconds: float
    peak_mb: float

    @property
    def rate(self) -> float:
        """Changes a second."""
        return self.changes / self.seconds

    @property
    def cpu_a_million(self) -> float:
        """CPU seconds for a million changes."""
        return self.cpu_seconds / self.changes * 1e6


def properties(server: MySqlServer, database: str, *, schemas: bool) -> dict[str, str]:
    """The connector's properties for both sides; those of one side are added later."""
    return {
        "name": "bench",
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "topic.prefix": "bench",
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": "7100",
        "database.include.list": database,
        "snapshot.mode": "no_data",
        "tombstones.on.delete": "false",
        "include.schema.changes": "false",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter.schemas.enable": str(schemas).lower(),
        "value.converter.schemas.enable": str(schemas).lower(),
    }


def tailrace_side(given: dict[str, str], start: Any, until: Any, history: Any, rounds: int) -> list[Side]:
    """Read the range in a new process, once to warm up and then `rounds` times."""
    job = {"properties": given, "start": start, "until": until, "history": history, "readings": rounds}
    return [Side(int(r["changes"]), r["seconds"], r["cpu_seconds"], r["peak_mb"]) for r in readings_of(job)]


def readings_of(job: Mapping[str, Any], checkout: Path = ROOT) -> list[dict[str, Any]]:
    """The figures of each reading of a job (`engine_side.py`), in a new process with the sources of a checkout."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(job))
        file.flush()
        command = [sys.executable, str(checkout / "bench" / "engine_side.py"), file.name]
        env = os.environ | {"PYTHONPATH": str(checkout / "src")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def debezium_side(given: dict[str, str], before: Any, marker: str, changes: int) -> Side:
    """Let the embedded engine read from before the tables were created, up to the marker."""
    from tests.differential import debezium

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        offset = {"file": before["file"], "pos": before["pos"]}
        if before.get("gtids"):
            offset["gtids"] = before["gtids"]
        state = {
            "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
            "schema.history.internal.file.filename": str(folder / "history.jsonl"),
            "offset.storage": "org.apache.kafka.connect.storage.FileOffsetBackingStore",
            "offset.storage.file.filename": str(folder / "offsets.dat"),
            "offset.flush.interval.ms": "60000",
            "converter.schemas.enable": given["value.converter.schemas.enable"],
        }
        (folder / "history.jsonl").write_text(debezium.first_history(given["topic.prefix"], offset))
        figures = debezium.run(
            given | state, folder / "out", marker=marker, offset=offset, count=True, patience=180, java_options=JAVA
        )
    return Side(changes, figures.seconds, figures.cpu_seconds, figures.peak_mb)


def measure(server: MySqlServer, name: str, args: argparse.Namespace) -> Iterator[tuple[str, str, Side, Side | None]]:
    """The medians of one workload, without and with schemas."""
    database = f"bench_{name}"
    server.sql(f"DROP DATABASE IF EXISTS {database}; FLUSH BINARY LOGS")
    first = connector_for(from_mapping(properties(server, database, schemas=False)))
    before = first.head()
    server.sql(f"CREATE DATABASE {database}")
    with server.connect(database) as connection:
        workloads.create(connection, name)
        point = first.start_point()
        workloads.fill(connection, name, args.scale)
        until = first.head()
        server.sql("CREATE TABLE marker (id INT PRIMARY KEY); INSERT INTO marker VALUES (1)", database)
    for schemas in args.schemas.split(","):
        given = properties(server, database, schemas=schemas == "on")
        own = tailrace_side(given, point.restart, until, point.history, args.rounds)
        theirs = None
        if not args.no_debezium:
            runs = [debezium_side(given, before, f"bench.{database}.marker", own[0].changes) for _ in range(args.rounds)]
            theirs = median(runs)
        yield name, schemas, median(own), theirs


def median(sides: list[Side]) -> Side:
    """The median of each figure."""
    return Side(
        sides[0].changes,
        statistics.median(s.seconds for s in sides),
        statistics.median(s.cpu_seconds for s in sides),
        max(s.peak_mb for s in sides),
    )


def table(rows: list[tuple[str, str, Side, Side | None]]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| workload | schemas | changes | tailrace changes/s | CPU s/M | peak MB | Debezium changes/s | CPU s/M | Debezium peak MB | rate, times | CPU, times less |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, schemas, own, theirs in rows:
        left = f"| {name} | {schemas} | {own.changes:,} | {own.rate:,.0f} | {own.cpu_a_million:.2f} | {own.peak_mb:.0f} "
        if theirs is None:
            lines.append(left + "| - | - | - | - | - |")
        else:
            ratio, saved = own.rate / theirs.rate, theirs.cpu_a_million / own.cpu_a_million
            right = f"| {theirs.rate:,.0f} | {theirs.cpu_a_million:.1f} | {theirs.peak_mb:.0f} "
            lines.append(left + right + f"| {ratio:.1f} | {saved:.1f} |")
    return "\n".join(lines)


def rare_types(rows: list[tuple[str, str, Side, Side | None]]) -> str:
    """The rate with JSON, ENUM, SET, BIT and latin1 columns, as a share of that without them."""
    own = {(name, schemas): side for name, schemas, side, _ in rows}
    shares = [
        f"{own['rare', schemas].rate / own['plain', schemas].rate:.0%} with schemas {schemas}"
        for name, schemas in own
        if name == "rare" and ("plain", schemas) in own
    ]
    if not shares:
        return ""
    return f"Of the rate of `plain`, `rare` keeps {', '.join(shares)} (at least 50% is wanted)."


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", default="orders,wide,many,plain,rare")
    parser.add_argument("--scale", type=int, default=1_000_000, help="changes of each workload (wide: a tenth)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--schemas", default="off,on")
    parser.add_argument("--no-debezium", action="store_true")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    args = parser.parse_args()
    rows = []
    scale = args.scale
    with MySqlServer() as server:
        version = server.variable("version")
        for name in args.workloads.split(","):
            args.scale = scale // 10 if name == "wide" else scale
            for row in measure(server, name, args):
                rows.append(row)
                print(table([row]).splitlines()[-1], flush=True)
    text = "\n\n".join(filter(None, (table(rows), rare_types(rows))))
    print(f"\n{text}")
    if args.write:
        PAGE.write_text(replace_opening(PAGE.read_text(), page(text, version)))


def page(text: str, version: str) -> str:
    """The page of figures."""
    import numba
    import polars as pl
    import pyarrow as pa
    from tests.differential.jars import DEBEZIUM

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    made = datetime.now(UTC).date()
    versions = f"Python {platform.python_version()}, numba {numba.__version__}, polars {pl.__version__}, pyarrow {pa.__version__}"
    return f"""# Benchmarks

Decode, shape and encode without a sink: the same binary log read by tailrace in one process and by Debezium's embedded
engine (`{" ".join(JAVA)}`), in turn, on the same machine. Medians of the rounds; made by `./run bench --write` on {made}, {cores} cores
({platform.machine()}), MySQL {version} on the same cores, Debezium {DEBEZIUM}, {versions}.

tailrace is warm (its compiled code comes from the cache, one reading before those that count); Debezium's figures run
from its first batch to its last, its JVM's warm-up included and its start not. CPU is that of the process, in seconds a
million changes. `wide` has 60 columns of mixed types, `many` is 500 tables, `rare` has JSON, ENUM, SET, BIT and latin1
columns beside `plain`, which has integers and strings.

{text}
"""


if __name__ == "__main__":
    main()
