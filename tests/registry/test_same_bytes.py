"""When another schema than the record's gives the same bytes."""

import pytest

from tailrace.registry.same_bytes import difference


def record(*fields, **more):
    return {"type": "record", "name": "a.R", "fields": [{"name": name, "type": type_} for name, type_ in fields], **more}


def test_docs_defaults_and_properties_do_not_count():
    other = record(("a", {"type": "int", "connect.type": "int8"}), doc="x", **{"connect.name": "y"})
    assert difference(record(("a", "int")), other) is None


def test_ints_and_longs_are_the_same_bytes_and_doubles_are_not():
    assert difference(record(("a", "long")), record(("a", "int"))) is None
    assert difference(record(("a", "double")), record(("a", "int"))) == "a is double there and int here"


def test_the_order_of_a_unions_branches_counts():
    assert difference(record(("a", ["null", "int"])), record(("a", ["int", "null"]))) == "a is null there and int here"
    assert "null among them" in difference(record(("a", ["null", "int"])), record(("a", "int")))


@pytest.mark.parametrize("fields", [[("a", "int"), ("b", "int")], [("b", "int")], []])
def test_other_fields_are_another_schema(fields):
    assert "has the fields" in difference(record(*fields), record(("a", "int")))


def test_types_that_stand_as_names_are_what_they_name():
    inner = {"type": "record", "name": "V", "namespace": "a", "fields": [{"name": "x", "type": "int"}]}
    one = record(("p", ["null", inner]), ("q", ["null", "V"]))
    other = record(("p", ["null", inner]), ("q", ["null", "a.V"]))
    assert difference(one, other) is None
    assert difference(record(("p", ["null", "a.V"]), ("q", ["null", "V"])), other, {"a.V": inner}) is None


def test_a_difference_deep_inside_is_told_with_its_place():
    def deep(type_):
        return record(("p", {"type": "array", "items": {"type": "record", "name": "V", "fields": [{"name": "x", "type": type_}]}}))

    assert difference(deep("string"), deep("int")) == "p[].x is string there and int here"


def test_a_record_within_itself_ends():
    schema = record(("next", ["null", "a.R"]))
    assert difference(schema, schema) is None


def test_other_symbols_and_sizes_are_other_types():
    enum = {"type": "enum", "name": "E", "symbols": ["a", "b"]}
    assert difference(enum, {**enum, "symbols": ["b", "a"]}) == "the whole has other symbols"
    fixed = {"type": "fixed", "name": "F", "size": 2}
    assert difference(fixed, {**fixed, "size": 3}) == "the whole has other size"
