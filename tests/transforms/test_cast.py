"""Cast: numbers, texts and booleans as each other, as Java converts them."""

from decimal import Decimal

import pyarrow as pa
import pytest

from support.transforming import changes, rows, run, schema_of
from tailrace.errors import ConfigError, TransformError
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import decimal_bytes

DECIMAL = Schema(Type.BYTES, True, "org.apache.kafka.connect.data.Decimal", 1, parameters=(("scale", "2"),))
TIMESTAMP = Schema(Type.INT64, True, "org.apache.kafka.connect.data.Timestamp", 1)


def cast(values, schema, target, **options):
    column = {"x": (schema, pa.array(values, options.pop("type", None)))}
    return [each.value["x"] for each in run(rows(column), ("Cast$Value", {"spec": f"x:{target}"}), **options)]


@pytest.mark.parametrize(
    ("target", "found"),
    [("int8", [1, -1, None]), ("int16", [257, -1, None]), ("float64", [257.0, -1.0, None]), ("boolean", [True, True, None]),
     ("string", ["257", "-1", None])],
)  # fmt: skip
def test_integers_are_cut_to_the_bits_of_their_new_type(target, found):
    assert cast([257, -1, None], Schema(Type.INT64, True), target) == found


@pytest.mark.parametrize(
    ("target", "found"),
    [("int8", [-1, 1, 0]), ("int32", [2**31 - 1, 1, 0]), ("int64", [2**63 - 1, 1, 0]), ("boolean", [True, True, False]),
     ("string", ["1.0E300", "1.5", "-0.001"])],
)  # fmt: skip
def test_fractions_are_cut_towards_zero_and_at_the_limits(target, found):
    assert cast([1e300, 1.5, -0.001], Schema(Type.FLOAT64), target) == found


@pytest.mark.parametrize(
    ("values", "target", "found"),
    [(["12", "+5", None], "int8", [12, 5, None]), (["1e3", " 1.5f "], "float64", [1000.0, 1.5]),
     (["TRUE", "yes"], "boolean", [True, False])],
)  # fmt: skip
def test_texts_are_read_as_java_reads_them(values, target, found):
    assert cast(values, Schema(Type.STRING, True), target, type=pa.string_view()) == found


@pytest.mark.parametrize(("text", "target"), [("128", "int8"), ("1.0", "int32"), (" 1", "int64"), ("x", "float32")])
def test_a_text_that_is_no_such_number_fails(text, target):
    with pytest.raises(TransformError, match=r"the field 'x' has a value that is no (int|float)"):
        cast([text], Schema(Type.STRING), target, type=pa.string_view())


def test_decimals_are_numbers():
    values = [decimal_bytes(Decimal(each), 2) for each in ("-1.50", "300.25")]
    assert cast(values, DECIMAL, "int8", type=pa.binary_view()) == [-1, 44]
    assert cast(values, DECIMAL, "string", type=pa.binary_view()) == ["-1.50", "300.25"]


def test_moments_become_text_by_what_they_look_like():
    assert cast([0, 86_400_000, 86_400_001], TIMESTAMP, "string") == ["00:00:00.000Z", "1970-01-02", "1970-01-02T00:00:00.001Z"]


def test_the_schema_has_the_type_and_the_default_and_no_name():
    column = {"x": (Schema(Type.INT64, True, "n", 1, default=7), pa.array([None, 1]))}
    seen = run(rows(column), ("Cast$Value", {"spec": "x:string"}), schemas=True)
    assert schema_of(seen[0].value)["x"] == {"type": "string", "optional": True, "default": "7"}
    assert [each.value["payload"]["x"] for each in seen] == ["7", "1"]


def test_a_whole_key_is_cast_and_keeps_its_name():
    column = {"x": (Schema(Type.INT64, False, "n", 1), pa.array([1]))}
    (seen,) = run(rows(column), ("ExtractField$Value", {"field": "x"}), ("Cast$Value", {"spec": "string"}), schemas=True)
    assert (seen.value["schema"]["type"], seen.value["schema"]["name"], seen.value["payload"]) == ("string", "n", "1")


def test_nulls_and_other_fields_stay():
    seen = run(changes(), ("Cast$Value", {"spec": "ts_ms:string,zz:int8"}))
    assert [each.value and each.value["ts_ms"] for each in seen] == ["1700000000000"] * 3 + [None]


def test_a_struct_fails():
    with pytest.raises(TransformError, match="'source' is a struct, which can't be cast"):
        run(changes(), ("Cast$Value", {"spec": "source:string"}))


@pytest.mark.parametrize(
    ("spec", "message"),
    [("a:bytes", "the type must be one of"), ("a:b:int8", "write field:type"), ("int8,a:int8", "must be alone")],
)
def test_a_wrong_spec_is_refused(spec, message):
    with pytest.raises(ConfigError, match=message):
        run(changes(), ("Cast$Value", {"spec": spec}))
