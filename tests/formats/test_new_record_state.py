"""ExtractNewRecordState beside Debezium's own: every mode, on every golden line."""

import pytest
from tests.formats.configured_chains import assert_same_chain, chain
from tests.formats.golden_lines import every_line

pytestmark = pytest.mark.debezium
UNWRAP = "io.debezium.transforms.ExtractNewRecordState"
MODES = ("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone")
every_mode = pytest.mark.parametrize("mode", MODES)
SOME_FIELDS = "op,ts_ms,source.ts_ms,table,db,source.snapshot:taken,id,transaction.total_order,nothing,source.version:v"


def unwrap(mode, **options):
    return chain(unwrap={"type": UNWRAP, "delete.tombstone.handling.mode": mode, **{k.replace("_", "."): v for k, v in options.items()}})


@every_mode
@pytest.mark.parametrize("schemas", [True, False], ids=["with schemas", "without schemas"])
@pytest.mark.parametrize("defaults", [True, False], ids=["defaults for nulls", "nulls"])
def test_rows_deletes_and_tombstones_are_those_of_debezium(connect_parts, mode, schemas, defaults):
    found = assert_same_chain(connect_parts, every_line(), unwrap(mode), schemas=schemas, defaults=defaults)
    assert found.records > 300


@every_mode
def test_added_fields_and_headers_are_those_of_debezium(connect_parts, mode):
    assert_same_chain(connect_parts, every_line(), unwrap(mode, add_fields=SOME_FIELDS, add_headers=SOME_FIELDS))


@pytest.mark.parametrize("replace_null", [True, False])
def test_nulls_stay_or_become_defaults_as_in_debezium(connect_parts, replace_null):
    assert_same_chain(connect_parts, every_line(), unwrap("rewrite", replace_null_with_default=replace_null))


def test_prefixes_are_those_that_are_given(connect_parts):
    added = {"add_fields": "op,table", "add_headers": "op", "add_fields_prefix": "", "add_headers_prefix": "x."}
    assert_same_chain(connect_parts, every_line(), unwrap("rewrite-with-tombstone", **added))
