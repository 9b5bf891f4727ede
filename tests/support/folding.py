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
