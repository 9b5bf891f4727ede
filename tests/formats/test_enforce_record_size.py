"""EnforceRecordSize beside Debezium's.

The real one fails on a record that it would shorten and that has a Connect Decimal, so rows without one are compared.
"""

import copy
import json
import random

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.EnforceRecordSize"
SIZES = (3, 60, 200, 1000, 5000)


def lines_without_decimals(source):
    lines = [line for line in golden_lines(source) if "connect.data.Decimal" not in json.dumps(line)]
    # JsonConverter reads a default of bytes as a byte array, which the real one fails on too
    return [line for line in lines if not line["topic"].endswith("default_texts")]


def long_texts(seed):
    """Golden lines whose texts are of many lengths."""
    chosen = random.Random(seed)
    chosen_lines = [*lines_without_decimals("mysql: transactions"), *lines_without_decimals("mysql: defaults")[-20:]]
    lines = [copy.deepcopy(line) for line in chosen_lines]
    for line in lines:
        for image in ("before", "after"):
            _lengthen(line, image, chosen)
    return lines


def _lengthen(line, image, chosen):
    value = line["value"]
    if not value or not (value["payload"] or {}).get(image):
        return
    (fields,) = [field["fields"] for field in value["schema"]["fields"] if field["field"] == image]
    for field in fields:
        if field["type"] == "string" and "name" not in field and value["payload"][image][field["field"]] is not None:
            value["payload"][image][field["field"]] = chosen.choice("aé") * chosen.choice(SIZES)


@pytest.mark.parametrize(
    "options",
    [
        {"max.bytes": "3000", "min.field.size": "100"},
        {"max.bytes": "1", "min.field.size": "0"},
        {"max.bytes": "2000", "min.field.size": "500", "compression.ratio": "0.37"},
        {"max.bytes": "2500"},
    ],
)
def test_texts_are_shortened_as_debezium_shortens_them(connect_parts, options):
    found = assert_as_real(connect_parts, long_texts(str(options)), Transform(TYPE, options))
    assert found.records > 100
    assert not found.failed


@pytest.mark.parametrize("source", ["mysql: transactions", "sqlserver: heartbeats", "sqlserver: default-values"])
def test_sizes_of_all_kinds_of_records_are_debeziums(connect_parts, source):
    for most in ("900", "1100", "1300", "1500"):
        lines = lines_without_decimals(source)[:80]
        found = assert_as_real(connect_parts, lines, Transform(TYPE, {"max.bytes": most, "min.field.size": "0"}), schemas=[False])
        assert found.records
