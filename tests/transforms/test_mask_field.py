"""MaskField: zeros, replacements, nulls, and what can't be masked."""

import pyarrow as pa
import pytest

from support.transforming import changes, rows, run
from tailrace.errors import ConfigError, TransformError
from tailrace.schema.connect import Schema, Type

TABLE = {
    "i": (Schema(Type.INT8, optional=True), pa.array([5, None])),
    "s": (Schema(Type.STRING), pa.array(["a", "b"], pa.string_view())),
    "d": (Schema(Type.FLOAT64, optional=True, default=1.5), pa.array([2.5, None])),
    "by": (Schema(Type.BYTES, optional=True), pa.array([None, b"x"], pa.binary_view())),
}


def test_values_become_the_zero_of_their_type_and_nulls_stay():
    seen = run(rows(TABLE), ("MaskField$Value", {"fields": "i,s,d,zz"}))
    assert [[each.value[name] for name in "isd"] for each in seen] == [[0, "", 0.0], [None, "", 0.0]]


def test_a_null_with_a_default_stays_null_if_a_property_says_so():
    options = {"fields": "d", "replace.null.with.default": "false"}
    assert [each.value["d"] for each in run(rows(TABLE), ("MaskField$Value", options), defaults=False)] == [0.0, None]


def test_a_replacement_is_cut_to_the_type_of_each_field():
    seen = run(rows(TABLE), ("MaskField$Value", {"fields": "i,s,d", "replacement": "300.5"}))
    assert [[each.value[name] for name in "isd"] for each in seen] == [[44, "300.5", 300.5], [None, "300.5", 300.5]]


def test_only_records_fail_that_have_a_value_that_can_not_be_masked():
    assert [each.value["by"] for each in run(rows(TABLE), ("MaskField$Value", {"fields": "by"}), tolerant=True)] == [None]


def test_tombstones_fail():
    with pytest.raises(TransformError, match="its value is null"):
        run(changes(), ("MaskField$Value", {"fields": "op"}))


def test_an_empty_list_is_refused():
    with pytest.raises(ConfigError, match="fields is empty"):
        run(changes(), ("MaskField$Value", {"fields": ","}))
