"""Events as lines on the console."""

import json

import pytest

from tailrace.cli.events import event_line


def line(key, value):
    return event_line(json.dumps({"topic": "shop.orders", "key": key, "value": value})).plain


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ({"id": 1}, {"op": "c", "before": None, "after": {"id": 1, "n": 2}}, "create    shop.orders id=1 n=2"),
        (
            {"id": 1},
            {"op": "u", "before": {"id": 1, "n": 2, "m": 0}, "after": {"id": 1, "n": 3, "m": 0}},
            "update    shop.orders id=1 n=2 → 3",
        ),
        ({"id": 1}, {"op": "d", "before": {"id": 1, "n": 2}, "after": None}, "delete    shop.orders id=1"),
        ({"id": 1}, None, "tombstone shop.orders id=1"),
        (None, {"op": "t", "before": None, "after": None}, "truncate  shop.orders "),
        ({"databaseName": "x"}, {"ddl": "CREATE TABLE\n t"}, "schema    shop.orders databaseName=x CREATE TABLE t"),
        (
            {"databaseName": "x"},
            {"ddl": None, "tableChanges": [{"type": "CREATE", "id": '"x"."dbo"."t"'}]},
            'schema    shop.orders databaseName=x CREATE "x"."dbo"."t"',
        ),
        ({"id": "g:1"}, {"status": "END", "id": "g:1", "event_count": 2}, "end       shop.orders id=g:1 g:1 events=2"),
    ],
)
def test_a_line_says_what_happened_to_which_key_and_what_changed(key, value, shown):
    assert line(key, value) == shown


def test_schemas_are_not_shown():
    wrapped = {"schema": {}, "payload": {"op": "c", "after": {"id": 1, "n": 2}}}
    assert line({"schema": {}, "payload": {"id": 1}}, wrapped) == "create    shop.orders id=1 n=2"


def test_long_values_are_cut():
    assert len(line({"id": 1}, {"op": "c", "after": {"text": "x" * 1000}})) < 100
