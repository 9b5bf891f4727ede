"""Transforms in the options of a DataFrame, as Spark gives them: names in small letters."""

import json

import pytest

from support.captured_shops import Db2Shop, SqlServerShop, plain_properties
from support.frame_rows import begun
from support.streaming_frames import job_of, next_batch, read
from tailrace.errors import UnsupportedError

pytestmark = pytest.mark.drivers
CHAIN = {
    "transforms": "unWrap,Route",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.unwrap.add.fields": "op",
    "transforms.unwrap.delete.tombstone.handling.mode": "rewrite",
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.regex": r".*\.(T)",
    "transforms.route.replacement": "rows-of-$1",
    "transforms.route.predicate": "isT",
    "predicates": "isT",
    "predicates.ist.type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches",
    "predicates.ist.pattern": r".*\.T",
}


@pytest.fixture(params=[SqlServerShop, Db2Shop])
def options(request):
    kind = request.param
    shop = kind(request.getfixturevalue("sqlserver" if kind is SqlServerShop else "db2"))
    shop.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))")
    shop.capture("T")
    options = {name.lower(): value for name, value in plain_properties(shop).items()} | CHAIN
    start = begun(options)
    shop.sql("INSERT INTO S.T VALUES (1, 'x')", "DELETE FROM S.T WHERE ID = 1")
    shop.capture_all()
    return options, start


def test_a_batch_has_the_records_behind_the_chain_and_is_the_same_again(options):
    options, start = options
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert [(row["topic"], json.loads(row["key"]), json.loads(row["value"])) for row in rows] == [
        ("rows-of-T", {"ID": 1}, {"ID": 1, "A": "x", "__deleted": "false", "__op": "c"}),
        ("rows-of-T", {"ID": 1}, {"ID": 1, "A": "x", "__deleted": "true", "__op": "d"}),
    ]
    assert read(options, start, end) == rows


def test_typed_rows_take_no_transforms(options):
    with pytest.raises(UnsupportedError, match="transforms=unWrap,Route: they are for output=records"):
        job_of({**options[0], "output": "rows"})
