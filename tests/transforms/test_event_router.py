"""EventRouter without a real one beside it: failures, options, columns."""

import json

import pytest

from support.row_changes import row_changes
from support.transforming import records_behind
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, TransformError

TYPE = "io.debezium.transforms.outbox.EventRouter"
COLUMNS = {
    "table.field.event.id": "c0",
    "table.field.event.key": "c0",
    "route.by.field": "c1",
    "table.field.event.payload": "c3",
}
EXPANDED = COLUMNS | {"table.expand.json.payload": "true"}


def events(*rows):
    """Inserts into a table with a number, a route, a number and a payload."""
    return row_changes([("c", None, (i, route, 0, payload)) for i, (route, payload) in enumerate(rows)])


def values_of(*payloads, **options):
    found = records_behind(events(*(("a", payload) for payload in payloads)), (TYPE, EXPANDED | options))
    return [json.loads(value) for _, _, _, _, value, _ in found]


def test_rows_go_to_the_topics_of_their_routes_in_their_order():
    found = records_behind(events(("a", "x"), ("b", "y"), ("a", None)), (TYPE, COLUMNS))
    assert [(topic, key, value) for topic, _, _, key, value, _ in found] == [
        ("outbox.event.a", b"0", b'"x"'),
        ("outbox.event.b", b"1", b'"y"'),
        ("outbox.event.a", b"2", b"null"),
    ]
    assert [headers["id"] for *_, headers in found] == [b"0", b"1", b"2"]


def test_updates_deletes_and_tombstones_are_dropped(caplog):
    changes = row_changes([("c", None, (1, "a", 0, "x")), ("u", (1, "a", 0, "x"), (1, "a", 0, "y")), ("d", (1, "a", 0, "y"), None)])
    assert len(records_behind(changes, (TYPE, COLUMNS))) == 1
    assert "1 updates of rows of an outbox table are dropped" in caplog.text


def test_a_fatal_update_names_the_transform_and_the_topic():
    changes = row_changes([("u", (1, "a", 0, "x"), (1, "a", 0, "y"))])
    with pytest.raises(TransformError, match=r"transforms\.t0 \(EventRouter\).*dbz\.shop\.t.*updated"):
        records_behind(changes, (TYPE, COLUMNS | {"table.op.invalid.behavior": "fatal"}))


def test_a_missing_column_is_named():
    with pytest.raises(TransformError, match=r"table\.field\.event\.id names the column 'nowhere'"):
        records_behind(events(("a", "x")), (TYPE, COLUMNS | {"table.field.event.id": "nowhere"}))


def test_records_that_fail_are_dropped_if_that_is_tolerated():
    found = records_behind(events((None, "x"), ("b", "y")), (TYPE, COLUMNS), tolerant=True)
    assert [value for *_, value, _ in found] == [b'"y"']


def test_payloads_of_several_shapes_become_structs_in_one_batch():
    payloads = ['{"a": 1}', '{"b": {"c": [1.5, 2.0], "d": true}}', '{"a": 2}', "no json", '{"a": "x"} and more', "", None]
    assert values_of(*payloads) == [{"a": 1}, {"b": {"c": [1.5, 2.0], "d": True}}, {"a": 2}, "no json", {"a": "x"}, "", None]


def test_nulls_and_empty_arrays_have_no_field_unless_nulls_are_bytes():
    assert values_of('{"a": null, "b": [], "c": 1}') == [{"c": 1}]
    assert values_of('{"a": null, "b": [], "c": 1}', **{"table.json.payload.null.behavior": "optional_bytes"}) == [
        {"a": None, "c": 1}
    ]


def test_items_of_an_array_share_their_fields():
    assert values_of('{"a": [{"x": 1}, {"y": "z"}]}') == [{"a": [{"x": 1, "y": None}, {"x": None, "y": "z"}]}]


@pytest.mark.parametrize("payload", ['{"a": [1, "x"]}', '{"a": [1, 5000000000]}', '{"a": [null]}', '{"a": NaN}', '{"a": 1'])
def test_what_has_no_schema_stays_a_text(payload):
    assert values_of(payload) == [payload]


@pytest.mark.parametrize("payload", ["[1, 2]", '{"a": 123456789012345678901234567890}', '{"a": [{"x": 1}, {"x": "y"}]}'])
def test_what_does_not_fit_its_schema_fails(payload):
    with pytest.raises(TransformError, match="payload"):
        values_of(payload)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table.fields.additional.placement": "a"}, "neither column:place nor column:place:alias"),
        ({"table.fields.additional.placement": "a:b"}, "none of header, envelope, partition"),
        ({"route.topic.replacement": "${nothing}"}, "names the group nothing"),
        ({"table.op.invalid.behavior": "panic"}, "one of warn, error, fatal"),
    ],
)
def test_a_wrong_option_is_named(options, message):
    with pytest.raises(ConfigError, match=message):
        unit_settings({"transforms": "t", "transforms.t.type": TYPE, **{f"transforms.t.{k}": v for k, v in options.items()}})


def test_one_lane_delivers_all_events_and_tracing_has_no_effect():
    properties = {"transforms": "t", "transforms.t.type": TYPE, "transforms.t.tracing.operation.name": "x"}
    settings = unit_settings(properties)
    assert any("tracing.operation.name has no effect" in warning for warning in settings.warnings)


@pytest.mark.parametrize("payload", ["[" * 5000 + "]" * 5000, '{"a":' * 101 + "1" + "}" * 101, '{"a":' + "[" * 400 + "]" * 400 + "}"])
def test_a_payload_that_is_too_deep_stays_a_text_and_the_next_one_is_expanded(payload):
    assert values_of(payload, '{"ok": 1}') == [payload, {"ok": 1}]


def test_a_payload_as_deep_as_mysql_allows_is_expanded():
    deepest = '{"a":' * 100 + "1" + "}" * 100
    assert values_of(deepest) == [json.loads(deepest)]


def test_brackets_in_texts_make_no_payload_deep():
    assert values_of(json.dumps({"a": "[{" * 500})) == [{"a": "[{" * 500}]


def test_halves_of_surrogate_pairs_become_question_marks_and_whole_pairs_stay():
    payload = r'{"a": "x\ud800", "b": ["\udfff!"], "\ud83d": "\ud83d\ude00 \u00e9"}'
    assert values_of(payload) == [{"a": "x?", "b": ["?!"], "?": "😀 é"}]


def test_a_number_of_more_digits_than_javas_parser_takes_leaves_the_payload_a_text():
    long = "9" * 1001
    assert values_of(f'{{"a": {long}}}', f'{{"a": 0.{long}}}', f'{{"a": "{long}"}}') == [
        f'{{"a": {long}}}',
        f'{{"a": 0.{long}}}',
        {"a": long},
    ]
