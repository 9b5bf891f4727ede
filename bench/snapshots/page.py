"""Writes the figures to a section of the benchmarks' page and a block of the README."""

from __future__ import annotations

from bench.measuring.connectors import KAFKA_SCRIPT
from bench.measuring.results import Results
from bench.pages import BENCHMARKS, FIGURES, README, replace_block, replace_section
from bench.snapshots import tables
from bench.snapshots.beside_stream import LOADS
from bench.snapshots.filled import PARTITIONS
from bench.snapshots.plan import Case

BEGIN, END = "<!-- figures of snapshots: ./run bench-snapshots -->", "<!-- end of figures of snapshots -->"
HEADING = "Snapshots into Kafka"


def write(results: Results, chosen: list[Case]) -> None:
    """Write both."""
    BENCHMARKS.write_text(replace_section(BENCHMARKS.read_text(), HEADING, section(results, chosen)))
    README.write_text(replace_block(README.read_text(), BEGIN, END, block(results, chosen), FIGURES))


def section(results: Results, chosen: list[Case]) -> str:
    """The section of the benchmarks' page."""
    parts = [_setting(results), tables.initial(results, chosen), _OF_COSTS, tables.costs(results, chosen)]
    parts += [_OF_MEMORY, tables.memory(results, chosen)]
    if results.of("changes"):
        parts += [_OF_CHANGES, tables.under_changes(results)]
    if results.of("incremental"):
        parts += [_of_stream(), tables.beside_stream(results)]
    return "\n\n".join(filter(None, parts))


def block(results: Results, chosen: list[Case]) -> str:
    """The block of the README."""
    header = results.header
    rows = " and ".join(f"{count:,} rows of `{name}`" for name, count in chosen[0].tables.items())
    said = (
        f"A snapshot of {rows} into Kafka, beside Debezium {header['versions']['Debezium']} on the same "
        f"{header['machine']['cores']} cores\n({header['date']}; [all of it](docs/reference/benchmarks.md#snapshots-into-kafka)):"
    )
    return f"{said}\n\n{tables.highlights(results, chosen)}"


def _setting(results: Results) -> str:
    header = results.header
    machine = header["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    return f"""tailrace (`tailrace run … --master local[2]`) beside Debezium in Kafka Connect standalone, in turn, from the same
two tables of the same MySQL into the same broker, `snapshot.mode=initial_only` on both sides. Made by `./run bench-snapshots`
on {header["date"]}: {machine["cores"]} cores ({machine["architecture"]}) and {machine["memory_gb"]} GB of memory for everything together, MySQL and the
broker included. {versions}.

`orders` has 10 columns, `wide` has 60 columns of mixed types and a twentieth of the rows. Debezium has its defaults and
those of Connect's start script (`{" ".join(KAFKA_SCRIPT[:4])}` …), with the producer's compression that the row names. Where
`snapshot.max.threads` says default, the property is not given: Debezium then reads with one thread, tailrace with a task a
core. GTIDs are on; topics are made beforehand with {PARTITIONS} partitions.

*Rows a second* counts from the first record's append to the moment when all records are visible to a read-committed
consumer; *from its start* from the start of the process. After each run a read-committed consumer read all records: each
table's number of rows had to be there and no key twice. MB in Kafka is what the broker has on its disk. Several rounds:
medians, the largest of the peaks. Each run is a fresh process."""


_OF_COSTS = "CPU seconds a million rows over the same span, out of /proc, sampled ten times a second:"
_OF_MEMORY = """Memory in MB, start included: the largest sum of the peaks (VmHWM) of the processes that were there at the same time.
Python's processes share pages, which count more than once in that; every two seconds they were counted once (PSS):"""
_OF_CHANGES = """A large table (`orders`) while a writer inserts, updates, deletes and moves rows to other keys all over it, in transactions of 25.
tailrace alone, two tasks. *Log written* is from the snapshot's position to its end, *received* what the tasks took from their
sockets meanwhile, each of them the whole log: events of the log with five bytes before each. Then the log since the position was delivered, all records were read back, and the
last value of each key was compared with the table: equal, and no key twice as a snapshot's row."""


def _of_stream() -> str:
    loads = " and ".join(f"{load.rate:,} rows/s with {load.rows} a transaction" for load in LOADS)
    seconds = LOADS[0]
    return f"""An incremental snapshot beside the stream: milliseconds from the return of a commit to its writer until a read-committed
consumer is handed the record, {loads}. Without: {seconds.without_seconds:.0f} s after {seconds.warm_up_seconds:.0f} s of
warm-up. With: the commits between the first visible row of a snapshot of `orders` that a signal asked for and its last, at most
{seconds.with_seconds:.0f} s. Done is a snapshot that had each row of the table once before the benchmark went on. Both sides have their
defaults."""
