"""Writes docs/reference/scaling.md from the results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bench.measuring.results import Results
from bench.pages import ROOT
from bench.scaling import measured, model
from bench.scaling import tables as made
from bench.scaling.tables import CHANGES, CORE, TERABYTE

PAGE = ROOT / "docs" / "reference" / "scaling.md"


def write(results: Results) -> None:
    """Write the page; it needs all parts."""
    missing = [kind for kind in ("simulation", "frames", "chunk", "start", "bytes", "commit", "look") if not results.of(kind)]
    if missing:
        raise SystemExit(f"{results.path} lacks {', '.join(missing)}: the page was not written; --continue measures the rest")
    PAGE.write_text(text(results))


def tables(results: Results) -> str:
    """What is shown at the end of a run, of the parts that there are."""
    shown = [made.simulations(results), made.costs(results)]
    if results.of("chunk") and results.of("bytes"):
        shown += [made.snapshots(results), made.logs(results)]
    return "\n\n".join(shown)


def text(results: Results) -> str:
    """The whole page."""
    return "\n\n".join([*_opening(results), *_planning(results), *_frames(results), *_model(results), _NOT_TRIED]) + "\n"


def _opening(results: Results) -> list[str]:
    header = results.header
    machine = header["machine"]
    return [
        "# How tailrace scales",
        f"""What a run with many executors does, and where its first limit is. No cluster of that size was at hand, so this page has three
kinds of figures, and says of each which it is:

- *Measured*: on one machine with {machine["cores"]} cores ({machine["architecture"]}), as CPU seconds.
- *Simulated*: planning, with the real code of planner, driver and lanes' states, and modelled executors.
- *Modelled*: time and load, by arithmetic from what was measured.

Made by `./run bench-scaling --write` on {header["date"]}, Python {header["versions"]["Python"]}. An executor here is one core that runs one
[lane](../concepts/lanes.md); one with four cores counts as four.""",
        _summary(results),
    ]


def _summary(results: Results) -> str:
    of_row, of_change = measured.snapshot_costs(results), measured.log_costs(results)
    largest = _whole(results)
    one, many = (model.snapshot(lanes, of_row, CORE) for lanes in (1, 64))
    rows = TERABYTE / of_row.row_bytes
    first = model.log(1, of_change, CORE)
    most = model.most_lanes(CHANGES, of_change, CORE)
    return f"""In short:

- **Planning is no limit.** A snapshot of {largest["key"]["tables"]:,} tables in {largest["chunks"]:,} chunks with {largest["key"]["lanes"]} lanes: planner and driver take
  {largest["central_percent_of_a_core"]:.2f} % of one core over the run (simulated). tailrace plans no chunks: each lane goes on from its own last key.
- **A snapshot of 1 TB** takes {rows / one.rate / 3600:.1f} hours with one executor and {rows / many.rate / 60:.0f} minutes with 64 (modelled). The first limit is
  the lanes themselves until {_first_other(results)}
- **A log of {CHANGES:,} changes/s**: one lane can bear about {round(first.rates["lanes"], -4):,.0f} changes/s. Two lanes are enough. More than {most} lanes are too
  many for one source with a network of 10 Gbit/s, because it sends the whole log to each of them (modelled)."""


def _first_other(results: Results) -> str:
    of_row = measured.snapshot_costs(results)
    for lanes in range(1, 10_000):
        found = model.snapshot(lanes, of_row, CORE)
        if found.limit != "lanes":
            return f"there are {lanes} of them, then the {found.limit}."
    return "there are 10,000 of them."


def _whole(results: Results) -> dict[str, Any]:
    """The largest simulation that was run to its end."""
    done = [line for line in results.of("simulation") if line["is_done"]]
    return max(done, key=lambda line: (line["chunks"], line["key"]["lanes"]))


def _planning(results: Results) -> list[str]:
    rate, chunk = 300_000, measured.chunk_fit(results, "own")
    return [
        "## Planning, simulated",
        f"""Real are: the plan with its segments, each lane's reader (waves, state, notifications off), the progress record as Kafka gets it, the
figures as they go over the link, their sum, and the terminal's lines twice a second. Modelled are the rows: a lane delivers
{rate:,} of them a second of modelled time, in chunks of at most 16,384, and the log has a change of one of its tables after
each chunk. It commits as a real one does. Table sizes are skewed: the n-th largest has 1/n^1.5 of the largest one's rows. In one
case there are as many chunks as tables, and in the last one the log changes 20 tables with each chunk.

*Plan and driver* is the share of one core over the whole modelled time, for simulations that ran to their end. A *wave* is what
a lane does besides rows for a chunk, or for a section of the log. *Largest record* is that of a lane's progress in a commit. The
modelled time is that of rows alone. Where tables are small, the queries take most of the real time, and so shares are less than here.""",
        made.simulations(results),
        f"""So a lane spends {chunk[0]:.1f} ms on a chunk besides its rows (measured, below) and some tenths of a millisecond on its state. What grows
with the tables of a lane is a part of each commit: its record names those that wait, and finding out what is done looks at each of
them. With more lanes each has fewer. Notifications, which are off here, look at all tables of a lane after each chunk. The plan grows with the tables, and its record, which has the parts of all lanes, stays below the
1 MB of a message.""",
    ]


def _commits(results: Results) -> float:
    """Commits a second of all lanes in the largest simulation."""
    largest = _whole(results)
    return float(largest["commits"] / largest["virtual_seconds"])


def _frames(results: Results) -> list[str]:
    found = results.of("frames")[0]
    return [
        "## DataFrames, planned by the real code",
        f"""A DataFrame's snapshot is planned batch by batch, and an offset has the plan: the tables with their keys, compressed. With
{found["key"]["tables"]:,} tables it is {found["plan_bytes"] / 1000:,.0f} kB, the largest offset {found["largest_offset"] / 1000:,.0f} kB, and planning a batch of {found["parts_a_batch"]} parts takes
{found["batch_cpu_ms"]:.0f} ms of CPU without the database's answers. Without a file for the schema history the structures are in each offset
too. They may take 128 kB, which is enough for about {found["largest_without_file"]:,} similar tables of 20 columns; with more, tailrace asks for a file.
Spark writes every offset to its checkpoint and sends it to each task. A part has 500,000 rows, up to eight times as many when the
log is long. So for thousands of tables, or for a billion rows, `tailrace run` is the better way: its offsets have a hundred bytes.""",
    ]


def _model(results: Results) -> list[str]:
    of_row, of_change = measured.snapshot_costs(results), measured.log_costs(results)
    chunk, row = measured.chunk_fit(results, "own")
    chunk_mysql, row_mysql = measured.chunk_fit(results, "mysql")
    two = replace(CORE, source_network=CORE.source_network * 2.5)
    return [
        "## Costs, measured",
        made.costs(results),
        f"""From chunks of different sizes: {chunk:.1f} ms of tailrace's CPU and {chunk_mysql:.1f} ms of MySQL's for a chunk, with the question for the log's
head, and {row:.2f} µs and {row_mysql:.2f} µs for each row, read and decoded. A turn is 60 s, so that a look at 64 lanes costs the
planner next to nothing. The wait for GTIDs is one question when a lane begins. Commits count after 400 others, and the broker's
CPU has what it does besides. Many lanes commit often: in the simulation with 64 lanes {_commits(results):.0f} times a second.

Costs of rows and changes are those of [the benchmarks](benchmarks.md), with the table `orders` of 10 columns, JSON without schemas, lz4:

| | a row of a snapshot | a change of the log |
| --- | ---: | ---: |
| a lane, µs of CPU | {1e6 * of_row.lane_cpu:.2f} | {1e6 * of_change.own_cpu:.2f} |
| each other lane, µs of CPU | 0 | {1e6 * of_change.skip_cpu:.2f} |
| MySQL, µs of CPU | {1e6 * of_row.source_cpu:.2f} | {1e6 * of_change.dump_cpu:.2f} for each lane |
| the broker, µs of CPU | {1e6 * of_row.broker_cpu:.2f} | {1e6 * of_change.broker_cpu:.2f} |
| on the source's disk, bytes | {of_row.row_bytes:.0f} | {of_change.log_bytes:.0f} |
| from the source, bytes | {of_row.wire_bytes:.0f} | {of_change.log_bytes:.0f} for each lane |
| to the broker, bytes | {of_row.record_bytes:.0f} | {of_change.record_bytes:.0f} |

What another lane's change costs is from [the page on lanes](../concepts/lanes.md#what-it-costs), without transaction metadata. How
far records of the log are compressed was not measured: they are taken to be like rows of a snapshot.""",
        "## A snapshot of 1 TB, modelled",
        f"""One source with {CORE.source_cores:.0f} cores, one broker with {CORE.broker_cores:.0f} cores that writes {CORE.broker_disk / 1e9:.0f} GB/s, both with a network of 10 Gbit/s
({CORE.source_network / 1e9:.2f} GB/s). 1 TB of `orders` is {TERABYTE / of_row.row_bytes / 1e9:.1f} billion rows. A lane delivers {of_row.lane_rate:,.0f} rows/s, as measured. The table is
in the source's memory: what a disk delivers less, everything takes longer. Shares are those of what each has, at the rate that
is reached.""",
        made.snapshots(results),
        """With few tables, each is split into a part for each lane; a table without a key is read by one lane. Each lane also reads the log
that is written meanwhile, so it costs the source what the next table says. With small rows or schemas on the broker is the limit
earlier: [the benchmarks](benchmarks.md#snapshots-into-kafka) have what they take. Other limits are near the first one, as the shares say.""",
        f"## A log of {CHANGES:,} changes/s, modelled",
        f"""The same machines. Each lane reads the whole log, {CHANGES * of_change.log_bytes / 1e6:.0f} MB/s, decodes what is its own, and skips the rest. Shares
are those at {CHANGES:,} changes/s, so that more than 100 % is too much. Tables are taken to be spread evenly: a topic belongs to one
lane, so one table that has all changes is one lane's, and the first row is its limit.""",
        made.logs(results),
        f"""So the first limit of one lane is its core. With {model.most_lanes(CHANGES, of_change, CORE)} lanes or fewer the source's network is enough; more lanes gain
little, as skipping takes {100 * CHANGES * of_change.skip_cpu:.0f} % of each lane's core, and cost the source one more copy of the log each. What to do then:

- Use as few lanes as keep up, by the table: `tasks.max` of 2 to 4.
- With large events set `binlog_transaction_compression=ON` at the source: the log is sent compressed (not in the table).
- Read from replicas. One connector reads from one server, so two connectors with half of the tables each
  (`table.include.list`), each from its own replica, halve what a server sends. The same 64 executors with four connectors,
  each from a replica of its own:""",
        made.logs(results, sources=4),
        f"""- A faster network: with 25 Gbit/s one source can send the log to {model.most_lanes(CHANGES, of_change, two)} lanes.

Lanes of SQL Server and Db2 read only their own change tables, so the source sends each change once.

The broker's share is that of one broker. A topic's partitions are spread over the brokers of a cluster, so its load is divided by
their number; lanes need no more of them.""",
    ]


_NOT_TRIED = """## What was not tried

- A cluster with more than [some machines](../guides/run-on-a-cluster.md), a source or a broker on hardware of its own, and a table of 1 TB.
- Contention: locks and buffer pool of the source under 64 readers, 64 transactional producers at one broker.
- Spark itself with 64 executors: it sends a task to each at the start of a turn, which tailrace does not measure.
- Other tables: costs of wide rows, schemas and other formats are in [the benchmarks](benchmarks.md)."""
