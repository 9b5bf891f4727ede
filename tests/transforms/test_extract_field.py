"""ExtractField: fields, fields of fields, and nulls."""

import pyarrow as pa
import pytest

from support.transforming import UNWRAP, changes, rows, run
from tailrace.errors import ConfigError, TransformError
from tailrace.schema.connect import Schema, Type

DEFAULT = {"s": (Schema(Type.STRING, optional=True, default="d"), pa.array(["a", None], pa.string_view()))}


def extract(field, part="Value", **options):
    return (f"ExtractField${part}", {"field": field} | options)


def test_a_struct_takes_the_place_of_the_whole():
    assert [each.value for each in run(changes(), extract("after"))] == [{"c0": 1, "c1": "a"}, {"c0": 1, "c1": None}, None, None]


def test_a_key_becomes_its_column():
    assert [each.key for each in run(changes(), extract("c0", "Key"))] == [1] * 4


def test_a_path_is_null_where_a_struct_on_it_is():
    path = extract("after.c1", **{"field.syntax.version": "V2"})
    assert [each.value for each in run(changes(), path)] == ["a", None, None, None]


def test_a_required_field_of_a_struct_that_is_null_fails_as_converters_do():
    with pytest.raises(TransformError, match=r"'after\.c0' is required and has no value"):
        run(changes(), extract("after.c0", **{"field.syntax.version": "V2"}))


@pytest.mark.parametrize(("replaces", "found"), [("true", "d"), ("false", None)])
def test_a_null_becomes_the_default_unless_a_property_says_otherwise(replaces, found):
    seen = run(rows(DEFAULT), extract("s", **{"replace.null.with.default": replaces}), defaults=False)
    assert [each.value for each in seen] == ["a", found]


def test_a_default_is_not_put_where_a_struct_around_is_null():
    hoisted = ("HoistField$Value", {"field": "h"})
    seen = run(rows(DEFAULT), hoisted, extract("h.s", **{"field.syntax.version": "V2"}), defaults=False)
    assert [each.value for each in seen] == ["a", "d"]


def test_columns_of_what_is_taken_out_can_be_transformed_again():
    chain = (extract("after.c1", **{"field.syntax.version": "V2"}), ("HoistField$Value", {"field": "text"}))
    updates = changes([("c", None, (1, "a")), ("u", (1, "a"), (1, None))])
    seen = run(updates, UNWRAP, ("HoistField$Value", {"field": "after"}), *chain)
    assert [each.value for each in seen] == [{"text": "a"}, {"text": None}]


@pytest.mark.parametrize(("field", "message"), [("zz", "no field 'zz'"), ("after.c0", "no field 'after.c0'")])
def test_a_missing_field_fails(field, message):
    with pytest.raises(TransformError, match=message):
        run(changes(), extract(field))


def test_what_is_no_struct_fails():
    with pytest.raises(TransformError, match="is a string and no struct"):
        run(changes(), extract("op"), extract("x"))


def test_an_unknown_version_of_the_syntax_is_refused():
    with pytest.raises(ConfigError, match="V1, V2"):
        run(changes(), extract("a", **{"field.syntax.version": "V3"}))
