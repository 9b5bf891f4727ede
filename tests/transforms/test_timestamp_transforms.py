"""TimestampConverter, TimestampRouter and TimestampNowField."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from support.transforming import changes, properties, rows, run, schema_of
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, TransformError, UnsupportedError
from tailrace.schema.connect import Schema, Type

NOW = "com.github.jcustenborder.kafka.connect.transform.common.TimestampNowField$Value"
TIMESTAMP = {"type": "int64", "optional": True, "name": "org.apache.kafka.connect.data.Timestamp", "version": 1}
MOMENTS = {"x": (Schema(Type.INT64, True), pa.array([1_700_000_000_999, -1, None]))}
TEXTS = {"x": (Schema(Type.STRING, True), pa.array(["2026-01-31", None, "2026-01-31"], pa.string_view()))}


def convert(table, target, **options):
    given = {"field": "x", "target.type": target} | {name.replace("_", "."): value for name, value in options.items()}
    return run(rows(table), ("TimestampConverter$Value", given), schemas=True)


@pytest.mark.parametrize(
    ("target", "options", "found"),
    [
        ("string", {"format": "yyyy-MM-dd HH:mm:ss"}, ["2023-11-14 22:13:20", "1969-12-31 23:59:59", None]),
        ("unix", {"unix_precision": "seconds"}, [1_700_000_000_999, -1, None]),
        ("Date", {}, [19675, -1, None]),
        ("Time", {}, [80_000_999, 86_399_999, None]),
        ("Timestamp", {"unix_precision": "microseconds"}, [1_700_000_000, 0, None]),
    ],
)
def test_numbers_become_other_forms(target, options, found):
    assert [each.value["payload"]["x"] for each in convert(MOMENTS, target, **options)] == found


def test_texts_are_read_by_the_format_and_the_schema_is_connects():
    seen = convert(TEXTS, "Timestamp", format="yyyy-MM-dd")
    assert [each.value["payload"]["x"] for each in seen] == [1_769_817_600_000, None, 1_769_817_600_000]
    assert schema_of(seen[0].value)["x"] == TIMESTAMP


def test_a_text_that_does_not_fit_fails_without_being_shown():
    with pytest.raises(TransformError, match="can't be read as a moment: format is 'HH:mm'") as failure:
        convert(TEXTS, "unix", format="HH:mm")
    assert "2026-01" not in str(failure.value)


def test_a_field_that_is_no_moment_fails():
    with pytest.raises(TransformError, match=r"'source' is a .*, which is no moment"):
        run(changes(), ("TimestampConverter$Value", {"field": "source", "target.type": "unix"}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target.type": "string"}, "format is missing"),
        ({"target.type": "string", "format": "yyyy-ww"}, r"t0\.format: 'yyyy-ww' has w, a week, which is not supported yet"),
        ({"target.type": "string", "format": "yyyy-MM-ddTHH"}, "between quotes"),
        ({"target.type": "date"}, None),
        ({"target.type": "other"}, "one of string, unix, Date, Time, Timestamp"),
    ],
)
def test_a_wrong_option_is_refused(options, message):
    given = properties(("TimestampConverter$Value", options))
    if message is None:
        assert unit_settings(given).transform_chain[0].options["target_type"] == "Date"
        return
    with pytest.raises((ConfigError, UnsupportedError), match=message):
        unit_settings(given)


def test_topics_have_the_time_of_their_records():
    records = changes()
    moments = np.array([0, 86_400_000, 0, 0])
    seen = run(replace(records, timestamps=moments), "TimestampRouter")
    assert sorted((each.topic, each.value and each.value["op"]) for each in seen if each.value) == [
        ("dbz.shop.t-19700101", "c"),
        ("dbz.shop.t-19700101", "d"),
        ("dbz.shop.t-19700102", "u"),
    ]


@pytest.mark.parametrize(("topic", "together"), [("${topic}.${timestamp}", False), ("all-${timestamp}", True)])
def test_one_lane_delivers_all_only_if_tables_share_topics(topic, together):
    settings = unit_settings(properties(("TimestampRouter", {"topic.format": topic})) | {"tasks.max": "2"})
    assert any("one lane" in each for each in settings.warnings) is together


@pytest.mark.parametrize(
    ("chain", "together"),
    [
        (("ts", "route"), True),
        (("route", "ts"), False),
        (("ts", "other"), False),
    ],
)
def test_one_lane_delivers_all_if_topics_are_renamed_by_the_time_in_them(chain, together):
    """Two tables may have one topic then, and which can't be foreseen."""
    kinds = {
        "ts": ("TimestampRouter", {}),
        "route": ("RegexRouter", {"regex": r".*-(\d{8})", "replacement": "daily-$1"}),
        "other": ("InsertField$Value", {"static.field": "a", "static.value": "b"}),
    }
    settings = unit_settings(properties(*(kinds[each] for each in chain)) | {"tasks.max": "2"})
    assert any("one lane" in each for each in settings.warnings) is together


def test_fields_get_the_time_of_the_record():
    seen = run(changes(), (NOW, {"fields": "at,op"}), schemas=True)
    assert [each.value and each.value["payload"]["at"] for each in seen] == [1_700_000_000_000] * 3 + [None]
    assert list(schema_of(seen[0].value))[-2:] == ["at", "op"]
    assert schema_of(seen[0].value)["op"] == TIMESTAMP | {"optional": False}
