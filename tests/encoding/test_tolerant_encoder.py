"""`errors.tolerance=all`: records that a converter fails on are dropped, counted and told of; all others are written."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from support.fake_registry import FakeRegistry
from support.row_changes import row_changes
from support.transforming import rows
from support.unit_settings import unit_settings
from tailrace.changes.layouts import Constant, Layout
from tailrace.changes.records import binary_of
from tailrace.changes.skipped_records import SkippedRecords
from tailrace.changes.source_records import SourceHeader
from tailrace.converter_classes import BINARY_DATA, BYTE_ARRAY, CLOUD_EVENTS, CONFLUENT_AVRO, JSON
from tailrace.encoding.message_encoder import MessageEncoder
from tailrace.encoding.tolerant_encoder import TolerantEncoder
from tailrace.errors import DeliveryError, RegistryError, RegistryUnavailableError, SchemaRefusedError
from tailrace.events.pipeline import RecordPipeline, pipeline_of
from tailrace.schema.connect import Schema, Type

CHANGES = [("c", None, (1, "a")), ("u", (1, "a"), (1, None)), ("d", (1, None), None)]


class NumbersAsText:
    """Messages that can't write some numbers, and don't say which these were; `calls` counts how often they are asked."""

    def __init__(self, *bad):
        self.bad, self.calls = bad, 0

    def render_with_headers(self, layout, records, present=None):
        self.calls += 1
        found = [int(records.columns[0].data[row]) for row in records.roles[0]]
        if any(each in self.bad for each in found):
            raise DeliveryError(f"{records.topic}: a number is bad")
        return binary_of([str(each).encode() for each in found]), ()


def numbered(n):
    given = rows({"c0": (Schema(Type.INT64), pa.array(range(n), pa.int64()))})
    return replace(given, positions=binary_of([b"place %03d" % i for i in range(n)]))


@pytest.mark.parametrize("bad", [(), (0,), (99,), (31, 32, 33, 70), tuple(range(100))])
def test_each_record_that_fails_is_found_and_the_others_stay_in_their_order(bad, caplog):
    messages, skipped = NumbersAsText(*bad), SkippedRecords()
    pipeline = RecordPipeline(TolerantEncoder(MessageEncoder(messages, messages, messages), skipped), (), skipped)
    made = pipeline.made_of(numbered(100))
    assert [int(each.values[i]) for each in made for i in range(len(each))] == [i for i in range(100) if i not in bad]
    assert [each.log_order.tolist() for each in made] == [[i for i in range(100) if i not in bad]] * (len(bad) < 100)
    assert pipeline.take_skipped() == len(bad)
    assert messages.calls <= 1 + 2 * len(bad) * 7
    if len(bad) == 4:
        assert caplog.messages == [
            "t: a number is bad; 4 dropped, from place 031 to place 070, as errors.tolerance is all"
        ]


def avro_pipeline(url, **more):
    avro = {"value.converter": CONFLUENT_AVRO, "value.converter.schema.registry.url": url, "value.converter.max.retries": "0"}
    return pipeline_of(unit_settings(avro | {name.replace("__", "."): text for name, text in more.items()}))


def kept(pipeline, records):
    return [(each.keys[i], each.values[i]) for each in pipeline.made_of(records) for i in range(len(each))]


def test_what_a_registry_refuses_is_dropped_with_one_question_and_tombstones_stay(caplog):
    with FakeRegistry() as fake:
        fake.refuses = "Envelope"
        pipeline = avro_pipeline(fake.url, errors__tolerance="all")
        ((key, value),) = kept(pipeline, row_changes(CHANGES * 50 + CHANGES[:2]).source_records())[:1]
        assert (pipeline.take_skipped(), value) == (152, None)
        assert key
        assert len(fake.requests) == 1
        assert "READER_FIELD_MISSING_DEFAULT_VALUE" in caplog.text
        assert "152 dropped, from " in caplog.text
        fake.refuses = ""
        assert len(kept(pipeline, row_changes(CHANGES).source_records())) == 4
        assert pipeline.take_skipped() == 0


def test_without_it_such_a_record_stops_the_connector():
    with FakeRegistry() as fake:
        fake.refuses = "Envelope"
        with pytest.raises(SchemaRefusedError, match="not fit the subject's compatibility"):
            kept(avro_pipeline(fake.url), row_changes(CHANGES).source_records())


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((503, b""), RegistryUnavailableError),
        ((401, {"error_code": 40101, "message": "who?"}), RegistryError),
        ((404, {"error_code": 404, "message": "HTTP 404 Not Found"}), RegistryError),
        ((404, b"<html>no such page</html>"), RegistryError),
        ((302, b""), RegistryError),
        ((200, b"<html>log in</html>"), RegistryError),
        ((200, {"id": "none"}), RegistryError),
    ],
)
def test_what_is_wrong_with_the_registry_is_no_reason_to_drop_a_record(answer, error):
    with FakeRegistry() as fake:
        fake.faults = [answer]
        pipeline = avro_pipeline(fake.url, errors__tolerance="all")
        with pytest.raises(error):
            kept(pipeline, row_changes(CHANGES).source_records())
        assert pipeline.take_skipped() == 0
        assert len(kept(pipeline, row_changes(CHANGES).source_records())) == 4


def test_cloud_events_that_the_registry_refuses_are_dropped_and_what_becomes_null_stays():
    with FakeRegistry() as fake:
        fake.refuses = "CloudEvents"
        avro = {
            "value.converter": CLOUD_EVENTS,
            "value.converter.serializer.type": "avro",
            "value.converter.data.serializer.type": "avro",
            "value.converter.avro.schema.registry.url": fake.url,
        }
        pipeline = pipeline_of(unit_settings(avro | {"errors.tolerance": "all"}))
        assert [value for _, value in kept(pipeline, row_changes(CHANGES * 20).source_records())] == [None] * 20
        assert pipeline.take_skipped() == 60
        assert len(fake.requests) == 2, "one for the data, one for the event"


@pytest.mark.parametrize("converter", [BYTE_ARRAY, BINARY_DATA])
def test_a_header_that_its_converter_can_not_write_takes_its_record_with_it(converter):
    given = row_changes(CHANGES).source_records()
    present = np.array([False, True, False, False])
    header = SourceHeader("h", Layout(Constant(Schema(Type.STRING), "x")), present)
    pipeline = pipeline_of(unit_settings({"header.converter": converter, "errors.tolerance": "all", "value.converter": JSON}))
    assert len(kept(pipeline, replace(given, headers=(header,)))) == 3
    assert pipeline.take_skipped() == 1
