"""Long runs: `./run simulate --schedules 1000000 --seed 1 --jobs 2`; ends with 1 on a violation, which says how to replay it."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time

from .schedule import BOTH, KINDS, run_block

BLOCK = 500  # schedules between two lines of a process


def main() -> int:
    """Run schedules; the exit code."""
    args = arguments()
    print(f"{args.schedules:,} schedules of {args.kind} from seed {args.seed}", flush=True)
    blocks = [
        (first, min(first + BLOCK, args.seed + args.schedules), args.kind)
        for first in range(args.seed, args.seed + args.schedules, BLOCK)
    ]
    began = time.monotonic()
    done, violations = 0, 0
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for number, (count, messages) in enumerate(pool.imap_unordered(run_block, blocks), 1):
            done += count
            violations += len(messages)
            for message in messages:
                print(f"./run simulate --schedules 1 {message}", flush=True)
            if number % 40 == 0 or done == args.schedules:
                rate = done / (time.monotonic() - began)
                print(f"{done:,} schedules, {rate:,.0f} a second, {violations} violations", flush=True)
    return 1 if violations else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1, help="of the first schedule; the others count up from it")
    parser.add_argument(
        "--kind", choices=KINDS, default=BOTH, help="of snapshot: each schedule's by its seed, or one kind"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
