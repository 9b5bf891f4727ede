"""Writes the figures to a section of the benchmarks' page and a block of the README."""

from __future__ import annotations

from bench.change_tables import tables
from bench.change_tables.idle import SETTLING, WATCHED
from bench.change_tables.plan import TRANSACTION, Case
from bench.change_tables.system import PARTITIONS, System, Words
from bench.measuring.connectors import KAFKA_SCRIPT
from bench.measuring.results import Results
from bench.pages import BENCHMARKS, FIGURES, README, replace_block, replace_section


def write(system: System, results: Results, chosen: list[Case]) -> None:
    """Write both."""
    words = system.words
    BENCHMARKS.write_text(replace_section(BENCHMARKS.read_text(), heading(words), section(system, results, chosen)))
    begin, end = f"<!-- figures of {words.name}: ./run {words.command} -->", f"<!-- end of figures of {words.name} -->"
    README.write_text(replace_block(README.read_text(), begin, end, block(system, results, chosen), FIGURES))


def heading(words: Words) -> str:
    """The heading of the section."""
    return f"From {words.name} into Kafka"


def block(system: System, results: Results, chosen: list[Case]) -> str:
    """The block of the README."""
    header, words = results.header, system.words
    anchor = heading(words).lower().replace(" ", "-")
    said = (
        f"From tailrace's stand-in for {words.name} into Kafka, beside Debezium {header['versions']['Debezium']} on the same "
        f"{header['machine']['cores']} cores (lz4, schemas off;\n{header['date']}; "
        f"[all of it](docs/reference/benchmarks.md#{anchor}), with what the stand-in does alone):"
    )
    return f"{said}\n\n{tables.highlights(system, results, chosen)}"


def section(system: System, results: Results, chosen: list[Case]) -> str:
    """The section of the benchmarks' page."""
    parts = [_setting(system, results), system.words.notes, tables.rates(system, results, chosen)]
    parts += ["The stand-in, read by one reader alone:", tables.ceilings(system, results, chosen)]
    parts += ["CPU seconds a million changes (of snapshots from the first query on):", tables.costs(results, chosen)]
    parts += ["Memory in MB, start included, as [above](#into-kafka):", tables.memory(results, chosen)]
    if results.of("idle"):
        parts += [_of_idle(system.words), tables.idle(system, results)]
    return "\n\n".join(filter(None, parts))


def _setting(system: System, results: Results) -> str:
    header, words = results.header, system.words
    machine = header["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    return f"""tailrace beside Debezium in Kafka Connect standalone, in turn, from the same
[stand-in for {words.name}]({words.page}) into the same broker: no real {words.name} was at hand. Made by
`./run {words.command}` on {header["date"]}: {machine["cores"]} cores ({machine["architecture"]}) and {machine["memory_gb"]} GB of
memory for everything together. {versions}.

`catch-up`: a table of 10 columns, {TRANSACTION:,} rows a transaction, 50 % inserts, 35 % updates, 15 % deletes; everything lies in the
change table before a side starts at the position before it. `snapshot`: the rows of that table, taken as each side does by default.
Debezium has its defaults and those of Connect's start script (`{" ".join(KAFKA_SCRIPT[:4])}` …); {PARTITIONS} partitions; tailrace
commits transactions, Debezium delivers at least once. Changes a second count from the first record's append to the moment when
the last row is visible to a read-committed consumer and everything is appended, for both sides alike; *from its start*
from the start of the process. tailrace's first record of a snapshot comes when a good part of the table was read and
{words.capturing} has passed that, which the time from the first record on leaves out. So *from its first query* counts, for both
sides alike, from the moment on at which the stand-in works for the rows of the snapshot: {words.capturing} is waited for in that.

*The stand-in alone* is what it gives to a reader that throws the bytes away, for the same rows by the same query (an update
has two rows in the change table and is one change). A ratio counts only where that is at least {tables.ENOUGH} times what tailrace does;
otherwise it is the stand-in that was measured."""


def _of_idle(words: Words) -> str:
    return f"""Many {words.instances}, none of which has changes. A row goes into one of the tables every half second from the side's start on
until the first of them is visible to a consumer: *streams after*. Then nothing is written, and from {SETTLING:.0f} s later on {WATCHED:.0f} s are
watched: CPU seconds, and memory before and after (PSS, all processes of the side):"""
