"""InsertHeader, DropHeaders and HeaderFrom."""

import pytest

from support.transforming import changes, run
from tailrace.errors import ConfigError, TransformError, UnsupportedError

HEADER = ("InsertHeader", {"header": "h", "value.literal": "12"})
TEXT = ("InsertHeader", {"header": "h", "value.literal": "x"})


def test_a_record_may_have_two_headers_of_one_name_also_where_records_are_merged():
    seen = run(changes(), HEADER, TEXT, ("InsertField$Value", {"static.field": "s", "static.value": "v"}))
    assert [each.headers for each in seen] == [[("h", 12), ("h", "x")]] * 4


def test_headers_are_dropped_by_name():
    assert [each.headers for each in run(changes(), HEADER, TEXT, ("DropHeaders", {"headers": "h,other"}))] == [[]] * 4


def test_fields_are_moved_into_headers():
    moves = {"fields": "op,before", "headers": "o,b", "operation": "move"}
    seen = run(changes(), ("HeaderFrom$Value", moves), tolerant=True)
    assert [each.headers for each in seen] == [
        [("o", "c"), ("b", None)],
        [("o", "u"), ("b", {"c0": 1, "c1": "a"})],
        [("o", "d"), ("b", {"c0": 1, "c1": None})],
    ]
    assert all("op" not in each.value and "after" in each.value for each in seen)


def test_copied_fields_stay():
    seen = run(changes(), ("HeaderFrom$Key", {"fields": "c0", "headers": "id", "operation": "copy"}))
    assert [(each.key, each.headers) for each in seen] == [({"c0": 1}, [("id", 1)])] * 4


def test_tombstones_have_no_fields_for_headers():
    with pytest.raises(TransformError, match="its value is null"):
        run(changes(), ("HeaderFrom$Value", {"fields": "op", "headers": "o", "operation": "copy"}))


def test_a_missing_field_fails():
    with pytest.raises(TransformError, match="no field 'zz'"):
        run(changes(), ("HeaderFrom$Key", {"fields": "zz", "headers": "o", "operation": "copy"}))


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (("HeaderFrom$Key", {"fields": "a,b", "headers": "o", "operation": "copy"}), "must name as many"),
        (("HeaderFrom$Key", {"fields": "a", "headers": "o", "operation": "cut"}), "move, copy"),
        (("InsertHeader", {"header": "h", "value.literal": "null"}), "a header without a value is not supported yet"),
        (("InsertHeader", {"header": "h", "value.literal": "[1]"}), "a list or map"),
    ],
)
def test_a_configuration_without_sense_is_refused(transform, message):
    with pytest.raises((ConfigError, UnsupportedError), match=message):
        run(changes(), transform)
