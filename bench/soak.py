"""A crash campaign on a `tailrace run` into Kafka that checks every record: none lost, duplicated or out of order.

    ./run soak [--kills 200] [--seed N] [--lanes 2] [--minimal] [--write]

Starts its own MySQL and broker, writers, and the command. Each failure ("blow") is one of: SIGKILL of a task, of the whole
command, of its driver only, or of the broker; a cut connection to MySQL or to the broker; a failpoint. It comes while the run
catches up with a backlog, during steady streaming, or while structures change. Prints a line for each blow, then a table of
the time until every lane had committed again. If a record is wrong, it saves the evidence and ends with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from support.campaign import (  # noqa: E402
    KINDS,
    PHASES,
    SHORT_TRANSACTION,
    USUAL_TRANSACTION,
    Campaign,
    FaultError,
    Parts,
    dealt,
)
from tailrace_standins.servers.mysql_server import MySqlServer  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "soak.md"
LOOK_EVERY = 20  # blows between comparisons of the whole tables
WORDS = {
    "task": "kill -9 of a task's process",
    "planner": "kill -9 of the planner's process",
    "driver": "kill -9 of the whole command",
    "driver-alone": "kill -9 of the driver's Python alone",
    "broker": "kill -9 of the broker, started again",
    "mysql-cut": "connections to MySQL cut",
    "mysql-silence": "nothing comes through to MySQL for 0.5–3 s, then cut",
    "broker-cut": "connections to the broker cut",
    "broker-silence": "nothing comes through to the broker for 0.5–3 s, then cut",
    "freeze": "a task stands still for longer than its transaction may live",
    "failpoint": "death or error at a failpoint",
}


def main() -> int:
    """Run the campaign; returns the exit code."""
    args = arguments()
    seed = args.seed if args.seed is not None else random.randrange(2**32)
    folder = Path(tempfile.mkdtemp(prefix="tailrace-soak-"))
    say(f"seed {seed}, {args.kills} blows, {args.lanes} lane(s), evidence and logs in {folder}")
    began = time.monotonic()
    try:
        with MySqlServer(gtid=not args.minimal, row_metadata="MINIMAL" if args.minimal else "FULL") as server:
            version = server.variable("version")
            lives = SHORT_TRANSACTION if "freeze" in args.kinds else USUAL_TRANSACTION
            made = Parts.made(server, folder, seed, lanes=args.lanes, transaction_seconds=lives)
            with made as parts, Campaign(parts, say) as campaign:
                strike(campaign, dealt(args.kills, random.Random(seed), args.kinds.split(",")))
    except (FaultError, TimeoutError) as fault:
        say(f"\nFAULT: {fault}")
        return 1
    summary = f"{len(campaign.blows)} blows, {campaign.journal.transactions:,} transactions, {campaign.folding.taken:,} records"
    say(
        f"\n{table(campaign.blows)}\n\n{summary}: nothing lost, double, out of order or wrong; {time.monotonic() - began:.0f} s"
    )
    if args.write:
        PAGE.write_text(page(campaign, args, seed, version, summary))
    shutil.rmtree(folder, ignore_errors=True)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how many blows")
    parser.add_argument("--seed", type=int, help="deals the same blows again")
    parser.add_argument("--lanes", type=int, default=1, help="tasks.max")
    parser.add_argument("--kinds", default=",".join(KINDS), help="which kinds of blow, separated by commas")
    parser.add_argument("--minimal", action="store_true", help="MySQL without GTIDs and with minimal row metadata")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    args = parser.parse_args()
    if unknown := set(args.kinds.split(",")) - set(KINDS):
        parser.error(f"--kinds: there is no {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    return args


def strike(campaign: Campaign, blows: Sequence[tuple[str, str]]) -> None:
    for number, (kind, phase) in enumerate(blows, 1):
        campaign.strike(kind, phase)
        if number % LOOK_EVERY == 0:
            campaign.look()
            say(f"     all {campaign.folding.taken:,} records right, the tables equal")
    campaign.finish()


def table(blows: Sequence[Any]) -> str:
    """Recovery by kind and phase, as a Markdown table."""
    lines = [
        "| blow | " + " | ".join(f"{phase}: p50 s | max s" for phase in PHASES) + " | blows |",
        "| --- | " + "---: | ---: | " * len(PHASES) + "---: |",
    ]
    for kind in KINDS:
        of_kind = [blow for blow in blows if blow.kind == kind]
        if of_kind:
            cells = [figures([blow.recovery for blow in of_kind if blow.phase == phase]) for phase in PHASES]
            lines.append(f"| {WORDS[kind]} | {' | '.join(cells)} | {len(of_kind)} |")
    return "\n".join(lines)


def figures(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.1f} | {max(seconds):.1f}" if seconds else "- | -"


def page(campaign: Campaign, args: argparse.Namespace, seed: int, version: str, summary: str) -> str:
    """The page of figures."""
    import confluent_kafka
    import pyspark

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    log = "no GTIDs, minimal row metadata" if args.minimal else "GTIDs, full row metadata"
    return f"""# Soak

A running `tailrace run … --to kafka:…`, live writers, and one blow after the other. A read-committed consumer compares
every record with what the writers committed: key, images, operation, order within its partition, tombstones; folded, the
records are the tables. {summary}; **nothing lost, double, out of order or wrong.**

Seconds from the blow (for the broker: from its being back) to the next commit of every lane. After the kill of a task the
command starts another one itself; after that of the command it is started anew, which includes Java's start.

{table(campaign.blows)}

Made by `./run soak --kills {args.kills} --lanes {args.lanes}{" --minimal" if args.minimal else ""} --seed {seed} --write` on {datetime.now(UTC).date()}, {cores} cores ({platform.machine()}) with MySQL
{version} ({log}), the broker, the writers and the consumer on the same cores; Python {platform.python_version()},
PySpark {pyspark.__version__}, confluent-kafka {confluent_kafka.__version__}.
"""


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
