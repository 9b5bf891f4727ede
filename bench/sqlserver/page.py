"""Where the figures are shown: a section of the benchmarks' page."""

from __future__ import annotations

from bench.measuring.connectors import KAFKA_SCRIPT
from bench.measuring.results import Results
from bench.pages import BENCHMARKS, replace_section
from bench.sqlserver import tables
from bench.sqlserver.data import PARTITIONS
from bench.sqlserver.plan import TRANSACTION, Case

HEADING = "From SQL Server into Kafka"


def write(results: Results, chosen: list[Case]) -> None:
    """Put the figures into the page."""
    BENCHMARKS.write_text(replace_section(BENCHMARKS.read_text(), HEADING, section(results, chosen)))


def section(results: Results, chosen: list[Case]) -> str:
    """What the benchmarks' page says."""
    header = results.header
    machine = header["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    setting = f"""tailrace beside Debezium in Kafka Connect standalone, in turn, from the same
[stand-in for SQL Server](sqlserver-standin.md) into the same broker: no real SQL Server was at hand. Made by
`./run bench-sqlserver` on {header["date"]}: {machine["cores"]} cores ({machine["architecture"]}) and {machine["memory_gb"]} GB of
memory for everything together. {versions}.

`catch-up`: a table of 10 columns, {TRANSACTION:,} rows a transaction, 50 % inserts, 35 % updates, 15 % deletes; everything lies in the change
table before a side starts at the position before it. `snapshot`: the rows of that table, taken as each side does by default.
Debezium has its defaults and those of Connect's start script (`{" ".join(KAFKA_SCRIPT[:4])}` …); {PARTITIONS} partitions; tailrace
commits transactions, Debezium delivers at least once. What counts as changes a second is said [above](#into-kafka).

The stand-in is a program in Python, and has a speed of its own: the two columns before the last are what it gives to each
side's driver when that does nothing else with the rows (an update has two rows in the change table and is one change). A ratio
counts only where that is at least {tables.ENOUGH} times what tailrace does; otherwise it is the stand-in that was measured.
A snapshot's first rows are delivered when a chunk was read whole, which the time from the first record on leaves out: there the rate
*from its start* is the one to look at."""
    parts = [setting, tables.rates(results, chosen)]
    parts += ["CPU seconds a million changes:", tables.costs(results, chosen)]
    parts += ["Memory in MB, start included, as [above](#into-kafka):", tables.memory(results, chosen)]
    return "\n\n".join(filter(None, parts))
