"""Writes the figures to a section of the benchmarks' page."""

from __future__ import annotations

from bench.formats import tables
from bench.formats.plan import FormatCase
from bench.into_kafka.logs import PARTITIONS
from bench.measuring.results import Results
from bench.pages import BENCHMARKS, replace_section

HEADING = "Formats and transforms"


def write(results: Results, chosen: list[FormatCase]) -> None:
    """Write it."""
    BENCHMARKS.write_text(replace_section(BENCHMARKS.read_text(), HEADING, section(results, chosen)))


def section(results: Results, chosen: list[FormatCase]) -> str:
    """The section."""
    parts = [_setting(results), tables.rates(results, chosen)]
    parts += ["CPU seconds a million changes over the same span, and peak memory:", tables.costs(results, chosen)]
    return "\n\n".join(parts)


def _setting(results: Results) -> str:
    header = results.header
    machine, partitions = header["machine"], PARTITIONS
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    return f"""Both sides as in [Into Kafka](#into-kafka), with the same converters and transforms on both; JSON is without schemas. Made by
`./run bench-formats` on {header["date"]}: {machine["cores"]} cores ({machine["architecture"]}) and {machine["memory_gb"]} GB of memory for everything together.
{versions}.

`avro` is Confluent's converter for keys and values, with an Apicurio registry behind Confluent's API; `unwrap` is
ExtractNewRecordState and RegexRouter; `outbox` is EventRouter, `expanded` the same with `table.expand.json.payload=true`. The
workload `outbox` inserts rows with a JSON payload of about 200 bytes for three types of aggregates, and deletes a fifth of them.
Topics have {partitions["orders"]} partitions. After each run the records of each topic were counted, and other numbers than the workload's
would have ended the benchmark. The runs are short, so that the warm-up of Debezium's JVM counts more than in
[Into Kafka](#into-kafka): rows without transforms compare with each other, and not with the rates there."""
