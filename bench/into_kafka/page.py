"""Writes the figures to a section of the benchmarks' page and a block of the README."""

from __future__ import annotations

from bench.into_kafka import tables
from bench.into_kafka.latency import PHASES
from bench.into_kafka.logs import PARTITIONS
from bench.into_kafka.plan import Case
from bench.measuring.connectors import KAFKA_SCRIPT, LATENCY_TUNED
from bench.measuring.results import Results
from bench.measuring.topics import SETTINGS
from bench.measuring.warming import SECONDS as WARM_UP
from bench.pages import BENCHMARKS, FIGURES, README, replace_block, replace_section

BEGIN, END = "<!-- figures into Kafka: ./run bench-kafka -->", "<!-- end of figures into Kafka -->"
HEADING = "Into Kafka"


def write(results: Results, chosen: list[Case]) -> None:
    """Write both."""
    BENCHMARKS.write_text(replace_section(BENCHMARKS.read_text(), HEADING, section(results, chosen)))
    README.write_text(with_block(README.read_text(), block(results, chosen)))


def section(results: Results, chosen: list[Case]) -> str:
    """The section of the benchmarks' page."""
    there = [case for case in chosen if results.of("rate", **case.key())]
    parts = [_setting(results), tables.rates(results, there), _of_costs(), tables.costs(results, there)]
    parts += [_of_memory(), tables.memory(results, there)]
    if missing := [case.label for case in chosen if case not in there]:
        parts.append(f"Not measured this time: {'; '.join(missing)}.")
    if results.of("latency"):
        parts += [_of_latency(), tables.latencies(results)]
    return "\n\n".join(filter(None, parts))


def block(results: Results, chosen: list[Case]) -> str:
    """The block of the README."""
    header = results.header
    machine = header["machine"]
    said = (
        f"From MySQL into Kafka, beside Debezium {header['versions']['Debezium']} in Kafka Connect on the same "
        f"{machine['cores']} cores, which MySQL and the broker use too\n(lz4, schemas off, minimal row metadata; {results.dates}; "
        "[all of it](docs/reference/benchmarks.md#into-kafka)):"
    )
    return f"{said}\n\n{tables.highlights(results, chosen)}"


def with_block(text: str, new: str) -> str:
    """A page with the block replaced; without one it is put after the heading "Figures"."""
    return replace_block(text, BEGIN, END, new, FIGURES)


def _setting(results: Results) -> str:
    header = results.header
    machine = header["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    partitions = ", ".join(f"{name} {number}" for name, number in PARTITIONS.items())
    return f"""tailrace (`tailrace run … --to kafka:… --available-now`) beside Debezium in Kafka Connect standalone, in turn, from
the same log of the same MySQL into the same broker. Made by `./run bench-kafka` on {results.dates}:
{machine["cores"]} cores ({machine["architecture"]}) and {machine["memory_gb"]} GB of memory for everything together, MySQL and the broker included.
{versions}.

Debezium has its defaults and those of Connect's start script (`{" ".join(KAFKA_SCRIPT[:4])}` …), with the
producer's compression that the row names; it starts at a stored offset before the tables were made, and so does
tailrace. GTIDs are on, deletes have tombstones, topics are made beforehand with the same partitions ({partitions}).
`wide` has 60 columns of mixed types, `stock` 5 short ones and a key of 3, `many` is 500 tables. tailrace commits transactions; Debezium delivers at least once.

*Changes a second* counts from the first record's append to the moment when the last row is visible to a read-committed
consumer; *from its start* from the start of the process. After each run the records that a read-committed consumer sees were
counted, and a number other than the workload's would have ended the benchmark. Several rounds: medians, and of
*times* the median of the rounds' own quotients, since the machine is not the same in each; the largest of the peaks. Each
run is a fresh process: Debezium's figures have its Java machine's warm-up in them, tailrace's those of Spark's; its own compiled code comes from the cache. The broker serves all runs and is warm: {WARM_UP} s of records of a third
client came first, the last of them in transactions with 100 topics. Before each run the page cache is filled, as it is on a machine that
has been up for a while: a hypervisor that takes free memory back gives it anew at some microseconds for 4 kB. Topics have index files of
{int(SETTINGS["segment.index.bytes"]) // 1024} kB (`segment.index.bytes`): of the default, 10 MB, a disk that reads far ahead reads nearly all for each new topic."""


def _of_costs() -> str:
    return "CPU seconds a million changes over the same span, out of /proc, sampled ten times a second:"


def _of_memory() -> str:
    return """Memory in MB, start included: the largest sum of the peaks (VmHWM) of the processes that were there at the same time.
Python's processes share pages, which count more than once in that; every two seconds they were counted once (PSS):"""


def _of_latency() -> str:
    said = " and ".join(
        f"{phase.seconds:.0f} s at {phase.rate:,} rows/s after {phase.warm_up_seconds:.0f} s of warm-up"
        for phase in PHASES
    )
    tuned = ", ".join(f"`{name}={value}`" for name, value in LATENCY_TUNED.items())
    return f"""Milliseconds from the return of a commit to its writer until a read-committed consumer is handed the record; one row a
transaction; compression is each side's default; both read the same clock. Counted were {said};
the warm-up was not.
Tuned is {tuned}. Cores: what the side used meanwhile."""
