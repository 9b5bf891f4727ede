"""Debezium's transforms behind others that took fields out of envelopes, or have made rows of them already."""

import pytest
from tests.formats.chains import UNWRAP, kafka, same_chain, some_lines
from tests.formats.connect_parts import Transform

pytestmark = pytest.mark.debezium
DEBEZIUM = "io.debezium.transforms."
OTHERS = (
    UNWRAP,
    Transform(UNWRAP.type, {"delete.tombstone.handling.mode": "rewrite-with-tombstone", "add.fields": "op"}),
    Transform(f"{DEBEZIUM}outbox.EventRouter"),
    Transform(f"{DEBEZIUM}ExtractChangedRecordState", {"header.changed.name": "h"}),
    Transform(f"{DEBEZIUM}ByLogicalTableRouter", {"topic.regex": "(.*)", "topic.replacement": "x"}),
)


@pytest.mark.parametrize("transform", OTHERS)
@pytest.mark.parametrize("gone", ["op", "before", "after"])
def test_what_fails_there_fails_here_and_nothing_is_lost(connect_parts, gone, transform):
    same_chain(connect_parts, some_lines()[::2], [kafka("ReplaceField$Value", {"exclude": gone}), transform], schemas=False)


@pytest.mark.parametrize("mode", ["tombstone", "rewrite-with-tombstone", "drop"])
def test_a_delete_that_is_a_null_already_is_a_tombstone(connect_parts, mode):
    again = Transform(UNWRAP.type, {"delete.tombstone.handling.mode": mode})
    found = same_chain(connect_parts, some_lines(), [UNWRAP, again])
    assert found.records
    assert found.dropped
