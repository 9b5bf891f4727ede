"""ExtractNewRecordState beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.ExtractNewRecordState"
CHANGED = Transform(
    "io.debezium.transforms.ExtractChangedRecordState", {"header.changed.name": "changed", "header.unchanged.name": "same"}
)
MODES = ("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone")
OPTIONS = {
    "added fields": {"add.fields": "op,table,source.ts_ms,transaction.id,ts_us:when,id,nothing", "add.headers": "op,db,ts_ms"},
    "prefixes": {"add.fields": "op,db", "add.fields.prefix": "", "add.headers": "source.lsn,op", "add.headers.prefix": "x."},
    "nulls stay": {"delete.tombstone.handling.mode": "rewrite", "replace.null.with.default": "false", "add.fields": "op"},
    "routed": {"route.by.field": "name"},
    "routed deletes": {"route.by.field": "v", "delete.tombstone.handling.mode": "rewrite-with-tombstone"},
}
DROPS = {
    "unchanged": {"drop.fields.header.name": "same"},
    "changed": {"drop.fields.header.name": "changed", "add.fields": "op"},
    "of the key": {"drop.fields.header.name": "same", "drop.fields.from.key": "true"},
    "required ones": {"drop.fields.header.name": "same", "drop.fields.keep.schema.compatible": "false"},
    "required ones of the key": {
        "drop.fields.header.name": "changed",
        "drop.fields.keep.schema.compatible": "false",
        "drop.fields.from.key": "true",
        "delete.tombstone.handling.mode": "rewrite",
    },
    "no header": {"drop.fields.header.name": "nothing"},
    "no list": {"drop.fields.header.name": "__op", "add.headers": "op"},
}
FEW = ("mysql: transactions", "sqlserver: changes-with-schemas")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", ["mysql: defaults", "db2: changes-with-schemas", "sqlserver: default-values"])
def test_every_mode_gives_the_same_records(connect_parts, source, mode):
    lines = golden_lines(source)
    options = {"delete.tombstone.handling.mode": mode, "add.headers": "op", "add.fields": "op"}
    found = assert_as_real(connect_parts, lines, Transform(TYPE, options), schemas=[True])
    assert found.records + found.dropped == len(lines)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("source", FEW)
def test_every_option_gives_the_same_records(connect_parts, source, options):
    found = assert_as_real(connect_parts, golden_lines(source), Transform(TYPE, options), schemas=[True])
    assert found.records + found.dropped + found.failed == len(golden_lines(source))


@pytest.mark.parametrize("options", DROPS.values(), ids=DROPS)
@pytest.mark.parametrize("source", FEW)
def test_the_same_fields_are_dropped(connect_parts, source, options):
    lines = [line for line in golden_lines(source) if not line["topic"].endswith(("customers", "key_types", "outbox_bytes"))]
    found = assert_as_real(connect_parts, lines, CHANGED, Transform(TYPE, options), schemas=[True])
    assert found.records + found.dropped + found.failed == len(lines)
