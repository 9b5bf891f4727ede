"""A model of a database with a log, written to while its tables are snapshotted by the real code.

    python -m tests.snapshot.simulator --schedules 1000000 --seed 1 --jobs 2

An initial snapshot is read by lanes (`lanes`), and checked when all of them are done (`checks`). Incremental ones are
read beside a stream (`streaming`), and checked at every delivery (`history`). A schedule follows from its seed alone:
which tables and lanes there are, what is written when, what each read sees, and where processes die. A violation prints
the seed.
"""
