"""Writes the figures to a section of the benchmarks' page and a block of the README."""

from __future__ import annotations

from bench.measuring.connectors import KAFKA_SCRIPT
from bench.measuring.results import Results
from bench.pages import BENCHMARKS, FIGURES, README, replace_block, replace_section
from bench.sqlserver import tables
from bench.sqlserver.data import PARTITIONS
from bench.sqlserver.idle import SETTLING, WATCHED
from bench.sqlserver.plan import EAGER, POLLING, TRANSACTION, Case

BEGIN, END = "<!-- figures of SQL Server: ./run bench-sqlserver -->", "<!-- end of figures of SQL Server -->"
HEADING = "From SQL Server into Kafka"


def write(results: Results, chosen: list[Case]) -> None:
    """Write both."""
    BENCHMARKS.write_text(replace_section(BENCHMARKS.read_text(), HEADING, section(results, chosen)))
    README.write_text(replace_block(README.read_text(), BEGIN, END, block(results, chosen), FIGURES))


def block(results: Results, chosen: list[Case]) -> str:
    """The block of the README."""
    header = results.header
    said = (
        f"From tailrace's stand-in for SQL Server into Kafka, beside Debezium {header['versions']['Debezium']} on the same "
        f"{header['machine']['cores']} cores (lz4, schemas off;\n{header['date']}; "
        "[all of it](docs/reference/benchmarks.md#from-sql-server-into-kafka), with what the stand-in does alone):"
    )
    return f"{said}\n\n{tables.highlights(results, chosen)}"


def section(results: Results, chosen: list[Case]) -> str:
    """The section of the benchmarks' page."""
    header = results.header
    machine = header["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    said = f"""tailrace beside Debezium in Kafka Connect standalone, in turn, from the same
[stand-in for SQL Server](sqlserver-standin.md) into the same broker: no real SQL Server was at hand. Made by
`./run bench-sqlserver` on {header["date"]}: {machine["cores"]} cores ({machine["architecture"]}) and {machine["memory_gb"]} GB of
memory for everything together. {versions}.

`catch-up`: a table of 10 columns, {TRANSACTION:,} rows a transaction, 50 % inserts, 35 % updates, 15 % deletes; everything lies in the
change table before a side starts at the position before it. `snapshot`: the rows of that table, taken as each side does by default.
Debezium has its defaults and those of Connect's start script (`{" ".join(KAFKA_SCRIPT[:4])}` …); {PARTITIONS} partitions; tailrace
commits transactions, Debezium delivers at least once. Changes a second count from the first record's append to the moment when
the last row is visible to a read-committed consumer and everything is appended, for both sides alike; *from its start*
from the start of the process. tailrace's first record of a snapshot comes when a good part of the table was read and the capture
job has passed that, which the time from the first record on leaves out. So *from its first query* counts from the moment on at
which the stand-in begins to work for it; *times so* is that beside Debezium's rate from its first record, which comes at once.

*The stand-in alone* is what it gives to a socket that throws the bytes away, for the same rows by the same query (an update
has two rows in the change table and is one change). A ratio counts only where that is at least {tables.ENOUGH} times what tailrace does;
otherwise it is the stand-in that was measured.

The stand-in has its [shortcuts](sqlserver-standin.md#shortcuts) on: in all rows of `catch-up` and `snapshot`, of both sides and of the
readers alone, the large tables are answered from columns. Many capture instances without changes are too small for them.

tailrace's snapshot takes no locks: it waits until the capture job has passed what was read. A job scans the log every {POLLING} s
(SQL Server's own default; *polling*), and two scans prove it, so that what was read waits for {POLLING} to {2 * POLLING} s, while more is read;
Debezium's does not wait. The row with {EAGER} s is the same run where the job scans without a pause: the difference is the waiting."""
    parts = [said, tables.rates(results, chosen)]
    parts += ["The stand-in, read by one reader alone:", tables.ceilings(results, chosen)]
    parts += ["CPU seconds a million changes (of tailrace's snapshots from its first query on):", tables.costs(results, chosen)]
    parts += ["Memory in MB, start included, as [above](#into-kafka):", tables.memory(results, chosen)]
    if results.of("idle"):
        parts += [_of_idle(), tables.idle(results)]
    return "\n\n".join(filter(None, parts))


def _of_idle() -> str:
    return f"""Many capture instances, none of which has changes. A row goes into one of the tables every half second from the side's start on
until the first of them is visible to a consumer: *streams after*. Then nothing is written, and from {SETTLING:.0f} s later on {WATCHED:.0f} s are
watched: CPU seconds, and memory before and after (PSS, all processes of the side):"""
