"""tailrace compared with Debezium in Kafka Connect: from the same SQL Server stand-in into the same Kafka broker.

    ./run bench-sqlserver [--quick] [--parts rates,idle] [--continue] [--write]

Starts its own stand-in and broker. rates: writes changes, captures them, and lets both sides deliver them in turn; it also
measures the stand-in's own speed, for a reader that only reads and for the drivers of both sides. idle: many capture instances
without changes. Each result is saved at once, as a line of JSON under bench/results; --continue skips those that exist. A
failed measurement prints the end of its side's log, the others continue, and the exit code is 1. Everything that the program
starts ends with it.
It needs Linux, a quiet machine, and for its first run a network to download jars.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tests")]

from bench.change_tables.program import main  # noqa: E402
from bench.sqlserver.system import SqlServer  # noqa: E402

if __name__ == "__main__":
    main(SqlServer(), __doc__)
