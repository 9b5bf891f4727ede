"""Folds events into tables, as a consumer does that applies them."""

import json


def committed_lines(folder):
    """What a reader of the files sees: by topic, in the order of the files' names."""
    return {
        topic.name: [json.loads(line) for file in sorted(topic.glob("*.jsonl")) for line in file.open(encoding="utf-8")]
        for topic in folder.iterdir()
        if topic.is_dir() and not topic.name.startswith("_")
    }


def folded(lines):
    """The rows by key after all events; every event has to fit what is there."""
    table = {}
    for line in lines:
        value = line["value"]
        if value is None:
            continue
        key = json.dumps(line["key"])
        if value["op"] == "c":
            assert key not in table, f"{line['position']}: {key} is created twice"
            table[key] = value["after"]
        elif value["op"] == "u":
            assert trimmed(table[key]).items() <= value["before"].items(), line["position"]
            table[key] = value["after"]
        elif value["op"] == "d":
            assert trimmed(table.pop(key)).items() <= value["before"].items(), line["position"]
    return table


def trimmed(row):
    """A row without the columns that DDL may have added since, whose values the log did not repeat."""
    return {name: value for name, value in row.items() if not name.startswith("extra")}


def assert_once_and_in_order(lines):
    """Each record of a topic once, by its position: the records of one change stand together."""
    positions = [(line["position"], (line["value"] or {}).get("op")) for line in lines]
    assert [p for p, _ in positions] == sorted(p for p, _ in positions)
    assert len(set(positions)) == len(positions), "a record is there twice"


def assert_counted(lines, tables):
    """Each transaction is told once, with as many records as came of it; `tables` as the topics behind `s.` name them."""
    ends = [line["value"] for line in lines["s.transaction"] if line["value"]["status"] == "END"]
    counts = {end["id"]: end["event_count"] for end in ends}
    assert len(counts) == len(ends)
    numbers = {}
    for table in tables:
        for line in lines[f"s.{table}"]:
            if line["value"] is not None:
                transaction = line["value"]["transaction"]
                numbers.setdefault(transaction["id"], []).append(transaction["total_order"])
    assert {name: sorted(found) for name, found in numbers.items()} == {
        name: list(range(1, count + 1)) for name, count in counts.items()
    }
