"""The verifier notices what it is there for: each test breaks a right delivery in one way."""

import random

import orjson
import pytest

from support.journal import TOMBSTONE, Journal, Shop
from support.kafka_folding import NEW_KEY, OLD_KEY, Folding, differences

PARTITIONS = 3


@pytest.fixture
def shop():
    """Two tables with some hundred transactions, some rolled back, and changes of structure."""
    shop = Shop(Journal(), ["a", "b"], seed := random.randrange(2**32))
    print(f"seed {seed}")
    shop.log = log = []
    for table in shop.tables.values():
        shop.create(table)
    for _ in range(300):
        savepoint = (0, 0)
        for _ in range(shop.random.choice([1, 3, 30])):
            savepoint = shop.savepoint() if shop.random.random() < 0.1 else savepoint
            shop.change(shop.any_table())
        if shop.random.random() < 0.2:
            shop.rollback(shop.random.choice([savepoint, (0, 0)]))
        log += shop._open
        shop.commit()
        if shop.random.random() < 0.1:
            shop.alter(shop.any_table())
    return shop


def delivered(shop):
    """What a right delivery of the shop's log is: by topic and partition, in log order."""
    records, place = [], 0
    for table, key, expected in shop.log:
        place += 0 if expected.op == TOMBSTONE or (expected.op == "c" and expected.other is not None) else 1
        records.append(record(table, key, expected, place))
    return sorted(with_offsets(records), key=lambda record: record[:3])


def record(table, key, expected, place):
    value = None
    if expected.op != TOMBSTONE:
        source = {"file": "log.000001", "pos": place, "row": 0, "table": table}
        value = orjson.dumps({**expected._asdict(), "source": source})
    name = OLD_KEY if expected.op == "c" else NEW_KEY
    headers = [(name, orjson.dumps({"id": expected.other}))] if expected.other is not None else None
    return [f"p.db.{table}", key % PARTITIONS, 0, b'{"id":%d}' % key, value, lambda: headers]


def with_offsets(records):
    next_ = {}
    for one in records:
        one[2] = next_[tuple(one[:2])] = next_.get(tuple(one[:2]), -1) + 1
    return records


def fold(shop, records):
    folding = Folding(shop.journal, "p", "db")
    numbered = with_offsets([list(one) for one in records])
    for at in range(0, len(records), 100):
        folding.take(numbered[at : at + 100])
    shop.journal.statements.clear()
    return folding


def faults(shop, records):
    folding = fold(shop, records)
    return [*folding.faults, *folding.missing_faults()]


def pick(records, wanted):
    return random.choice([at for at, one in enumerate(records) if wanted(one)])


def test_a_right_delivery_has_no_fault_and_folds_into_the_tables(shop):
    records = delivered(shop)
    folding = fold(shop, records)
    assert [*folding.faults, *folding.missing_faults()] == []
    assert (folding.taken, folding.missing) == (len(records), 0)
    assert differences(folding, shop, lambda table: shop.tables[table].rows) == []
    assert sum(len(table.rows) for table in shop.tables.values()) > 10


def test_a_lost_record_is_noticed(shop):
    records = delivered(shop)
    del records[random.randrange(len(records))]
    assert faults(shop, records)


def test_a_lost_record_at_the_very_end_is_noticed(shop):
    folding = fold(shop, delivered(shop)[:-1])
    assert folding.faults == []
    assert folding.missing == 1
    assert len(folding.missing_faults()) == 1


def test_a_record_that_is_there_twice_is_noticed(shop):
    records = delivered(shop)
    at = random.randrange(len(records))
    records.insert(at, records[at])
    assert faults(shop, records)


def test_a_record_of_a_transaction_that_was_rolled_back_is_noticed(shop):
    table = shop.any_table()
    shop.change(table)
    _, key, expected = shop._open[0]
    shop.rollback()
    assert faults(shop, [*delivered(shop), record(table.name, key, expected, 10**6)])


def test_two_records_of_different_keys_that_changed_places_are_noticed(shop):
    records = delivered(shop)
    plain = [at for at in range(len(records) - 1) if is_update(records[at]) and is_update(records[at + 1])]
    at = random.choice(
        [at for at in plain if records[at][:2] == records[at + 1][:2] and records[at][3] != records[at + 1][3]]
    )
    records[at], records[at + 1] = records[at + 1], records[at]
    assert "comes behind" in faults(shop, records)[0].what


def is_update(one):
    return one[4] is not None and orjson.loads(one[4])["op"] == "u"


@pytest.mark.parametrize("image", ["before", "after"])
def test_a_value_that_was_altered_is_noticed(shop, image):
    records = delivered(shop)
    at = pick(records, is_update)
    event = orjson.loads(records[at][4])
    event[image]["note"] += "."
    records[at][4] = orjson.dumps(event)
    assert "expected" in faults(shop, records)[0].what


def test_a_column_that_ddl_dropped_or_has_not_added_yet_is_noticed(shop):
    records = delivered(shop)
    at = pick(records, is_update)
    event = orjson.loads(records[at][4])
    event["after"]["extra0"] = None
    records[at][4] = orjson.dumps(event)
    assert "expected" in faults(shop, records)[0].what


def test_a_tombstone_away_from_its_delete_is_noticed(shop):
    records = delivered(shop)
    at = pick(records[:-1], lambda one: one[4] is None)
    while records[at][:2] != records[at + 1][:2]:
        at = pick(records[:-1], lambda one: one[4] is None)
    records[at], records[at + 1] = records[at + 1], records[at]
    assert "tombstone" in faults(shop, records)[0].what


def test_a_wrong_header_of_a_moved_key_is_noticed(shop):
    records = delivered(shop)
    at = pick(records, lambda one: one[4] is not None and one[5]())
    records[at][5] = lambda: None
    assert "header" in faults(shop, records)[0].what


def test_a_statement_that_is_not_told_or_told_twice_is_noticed(shop):
    (table, statements), *_ = shop.journal.altered.items()
    told = [schema_change(table, statement, at) for at, statement in enumerate([*statements, statements[-1]])]
    folding = Folding(shop.journal, "p", "db")
    folding.take(told[:-1])
    assert folding.faults == []
    assert all(table not in fault.what.split(":")[0] for fault in folding.missing_faults() if fault.topic == "p")
    assert any("never told" in fault.what for fault in folding.missing_faults())
    folding.take(told[-1:])
    assert len(folding.faults) == 1


def schema_change(table, statement, offset):
    return "p", 0, offset, b"{}", orjson.dumps({"ddl": statement, "source": {"db": "db", "table": table}}), None


def test_a_folded_row_that_is_not_the_tables_is_noticed(shop):
    folding = fold(shop, delivered(shop))
    table = shop.any_table()
    key = random.choice(list(table.rows))
    other = {**table.rows, key: {**table.rows[key], "name": "other"}}
    assert len(differences(folding, shop, lambda name: other if name == table.name else shop.tables[name].rows)) == 2
    less = {k: row for k, row in table.rows.items() if k != key}
    assert len(differences(folding, shop, lambda name: less if name == table.name else shop.tables[name].rows)) == 2
