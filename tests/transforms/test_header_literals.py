"""Literals are typed as they look."""

import pytest

from tailrace.schema.connect import Type
from tailrace.transforms.header_literals import parsed_literal


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("127", Type.INT8, 127),
        ("-129", Type.INT16, -129),
        ("+70000", Type.INT32, 70000),
        ("9223372036854775807", Type.INT64, 2**63 - 1),
        ("1.0", Type.INT8, 1),
        ("0.1", Type.FLOAT32, 0.1),
        ("1e39", Type.FLOAT64, 1e39),
        (" true ", Type.BOOLEAN, True),
        ("truely", Type.STRING, "truely"),
        ("12,13", Type.INT8, 12),
        ("a,b", Type.STRING, "a,b"),
        ("2026-01-31", Type.INT32, 20484),
        ("12:34:56.789Z", Type.INT32, 45_296_789),
        ("2026-01-31T12:34:56.789Z", Type.INT64, 1_769_862_896_789),
        ("", Type.STRING, ""),
        ("-", Type.STRING, "-"),
    ],
)
def test_a_literal_has_the_smallest_type_that_it_looks_like(text, type_, value):
    found = parsed_literal(text)
    assert (found.schema.type, found.value) == (type_, value)


def test_a_number_beyond_all_types_is_a_decimal():
    found = parsed_literal("12345678901234567890")
    assert (found.schema.name, found.schema.parameters) == ("org.apache.kafka.connect.data.Decimal", (("scale", "0"),))
