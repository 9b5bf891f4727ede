"""Saves the evidence of a failed campaign: the records around each fault, the progress, the blows, the logs."""

import itertools
import json

from support.kafka_reading import read_topics

AROUND = 60


def keep(folder, address, prefix, faults, lines):
    """Write it to `folder / "evidence"`; gives that folder."""
    place = folder / "evidence"
    place.mkdir(exist_ok=True)
    (place / "blows.txt").write_text("\n".join(lines) + "\n")
    try:
        own = [f"__tailrace-progress.{prefix}", f"__tailrace-history.{prefix}"]
        for topic in {*own, *(fault.topic for fault in faults)}:
            for committed in (True, False):
                name = f"{topic}-{'committed' if committed else 'all'}.jsonl"
                (place / name).write_text("".join(_lines(address, topic, faults, committed=committed)))
    except Exception as error:  # the broker may be what went wrong
        (place / "unread.txt").write_text(repr(error))
    return place


def _lines(address, topic, faults, *, committed):
    near = [(f.partition, f.offset) for f in faults if f.topic == topic and f.offset >= 0]
    for read in read_topics(address, [topic], committed=committed):
        if not near or any(p == read.partition and abs(o - read.offset) <= AROUND for p, o in near):
            yield json.dumps([read.partition, read.offset, read.timestamp, _text(read.key), _text(read.value)]) + "\n"


def _text(value):
    return None if value is None else value.decode(errors="replace")


def history_faults(address, topic, journal, database):
    """Whether each lane's schema history has each statement of the writers once, in each table's order."""
    lanes = {}
    for read in read_topics(address, [topic]):
        number = json.loads(read.key)["number"]  # of two with one number the later counts
        record = json.loads(read.value)
        if record["databaseName"] == database:
            lanes.setdefault(read.partition, {})[number] = record.get("ddl")
    found = [] if lanes else [f"{topic} is empty"]
    for lane, numbered in lanes.items():
        statements = [numbered[number] for number in sorted(numbered)]
        found += [f"{topic}, lane {lane}: {what}" for what in _unlike(statements, journal)]
    return found


def _unlike(statements, journal):
    for table, wanted in journal.altered.items():
        made = set(wanted)
        kept = [statement for statement in statements if statement in made]
        if kept != wanted:
            pairs = itertools.zip_longest(kept, wanted)
            kept_one, wanted_one = next(pair for pair in pairs if pair[0] != pair[1])
            yield f"of {table} there are {len(kept)} of {len(wanted)} statements; {kept_one!r} stands instead of {wanted_one!r}"
