"""Records of one topic follow the log, whatever tables they come from."""

import random

import numpy as np

from support.kafka_columns import binary, records
from tailrace.changes.merging import in_log_order
from tailrace.changes.records import Header, binary_of


def at(item, places):
    item.log_order = np.array(places)
    return item


def shown(item):
    headers = {header.name: header.values for header in item.headers}
    return [
        (
            int(item.log_order[i]),
            item.keys[i],
            item.values[i],
            int(item.timestamps[i]),
            item.positions[i],
            {name: values[i] for name, values in headers.items() if values[i] is not None},
        )
        for i in range(len(item))
    ]


def test_records_of_different_topics_and_those_that_follow_each_other_stay_as_they_are():
    items = [
        at(records("a", [b"1"], [b"x"]), [5]),
        at(records("b", [b"1"], [b"y"]), [1]),
        at(records("a", [b"2"], [b"z"]), [6]),
    ]
    assert {id(item) for item in in_log_order(items)} == {id(item) for item in items}
    assert [item.log_order[0] for item in in_log_order(items) if item.topic == "a"] == [5, 6]


def test_two_tables_in_one_topic_are_merged_with_nulls_and_headers():
    first = at(records("t", [b"1", None, b"3"], [b"x", None, b""], headers=[("h", [b"a", None, b"c"])]), [0, 4, 9])
    second = at(records("t", [b"10", b"20"], [b"p", b"q"], headers=[("g", [b"G", b"H"])]), [2, 6])
    alone = at(records("u", [b"7"], [b"r"]), [3])
    expected = sorted(shown(first) + shown(second))
    found = in_log_order([first, alone, second])
    assert sorted(item.topic for item in found) == ["t", "u"]
    assert shown(next(item for item in found if item.topic == "t")) == expected


def test_any_number_of_interleaved_parts_comes_out_in_order():
    chance = random.Random(3)
    for _ in range(50):
        owner = [chance.randrange(4) for _ in range(100)]
        items = []
        for table in range(4):
            places = [place for place in range(100) if owner[place] == table]
            texts = [chance.choice([None, b"", b"v" * chance.randrange(20)]) for _ in places]
            items.append(at(records("t", [b"%d" % place for place in places], texts), places))
        expected = sorted((line for item in items for line in shown(item)), key=lambda line: line[0])
        (merged,) = in_log_order([item for item in items if len(item)])
        assert shown(merged) == expected


def test_headers_that_are_null_stay():
    items = [at(records("t", [b"1", b"2"], [b"x", b"y"]), [1, 4]), at(records("t", [b"3"], [b"z"]), [2])]
    items[0].headers = (Header("h", binary([None, None]), np.array([False, True])),)
    (merged,) = in_log_order(items)
    ((values, mask),) = [(header.values, header.nulls) for header in merged.headers]
    assert [values[i] for i in range(3)] == [None] * 3
    assert mask.tolist() == [False, False, True]


def test_headers_of_one_name_both_stay():
    items = [at(records("t", [b"1"], [b"x"]), [2]), at(records("t", [b"2"], [b"y"]), [1])]
    for item in items:
        item.headers = (Header("h", binary_of([b"first"])), Header("h", binary_of([b"second"])))
    (merged,) = in_log_order(items)
    assert [(header.name, [header.values[i] for i in range(2)]) for header in merged.headers] == [
        ("h", [b"first"] * 2),
        ("h", [b"second"] * 2),
    ]


def test_each_record_keeps_its_headers_in_their_order():
    chance = random.Random(5)
    for _ in range(300):
        items, expected = [], {}
        for table in range(chance.randrange(2, 5)):
            places = sorted(chance.sample(range(100 * table, 100 * table + 90), 2))
            item = at(records("t", [b"k"] * 2, [b"v"] * 2), [place * 7919 % 1009 for place in places])
            order = np.argsort(item.log_order)
            item.log_order = item.log_order[order]
            names = [chance.choice("abc") for _ in range(chance.randrange(5))]
            item.headers = tuple(Header(name, binary([f"{i}".encode(), None])) for i, name in enumerate(names))
            for i in range(2):
                expected[int(item.log_order[i])] = [(h.name, h.values[i]) for h in item.headers if h.values[i] is not None]
            items.append(item)
        for item in in_log_order(items):
            for i in range(len(item)):
                found = [(header.name, header.values[i]) for header in item.headers if header.values[i] is not None]
                assert found == expected[int(item.log_order[i])]
