"""Events that are put in one by one are encoded there and then."""

from dataclasses import replace

import pytest
from attrs import evolve

from support.configurations import MINIMAL
from support.fake_registry import FakeRegistry
from support.row_changes import row_changes
from support.unit_settings import unit_settings
from tailrace.changes.source_records import EventKind
from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared.batches import Batch
from tailrace.events.pipeline import RecordPipeline, check_registries, encoder_of, pipeline_of, sizes_of
from tailrace.schema.routing import Routing
from tailrace.schema.topic_renames import TopicRename

ENCODER = encoder_of(unit_settings())


def event(*keys):
    return row_changes([("c", None, (key, "a")) for key in keys])


def keys(records):
    return [each.keys[i] for each in records for i in range(len(each))]


def put(pipeline, *events):
    found = pipeline.new_events()
    for each in events:
        found.append(each)
    return found


def test_each_is_transformed_and_encoded_before_the_next_one_comes():
    seen = []

    def spy(records):
        seen.append(len(records))
        return [records]

    events = RecordPipeline(ENCODER, [spy]).new_events()
    events.append(event(1, 2))
    assert seen == [2]
    assert list(events) == []  # none is held
    events.append(event(3))
    assert seen == [2, 1]


@pytest.mark.parametrize("interleaved", [True, False])
def test_they_become_what_a_list_of_them_becomes(interleaved):
    pipeline, events = RecordPipeline(ENCODER), [event(1, 2), event(3)]
    one_by_one = pipeline.records(put(pipeline, *events), interleaved=interleaved)
    assert keys(one_by_one) == keys(pipeline.records(events, interleaved=interleaved))
    assert len(keys(one_by_one)) == 3


def test_a_batch_that_is_given_up_takes_its_events_with_it():
    pipeline = RecordPipeline(ENCODER)
    put(pipeline, event(1))
    assert keys(pipeline.records(put(pipeline, event(2)), interleaved=False)) == keys(
        RecordPipeline(ENCODER).records([event(2)], interleaved=False)
    )


def test_what_a_transform_drops_counts_as_put_in():
    pipeline = RecordPipeline(ENCODER, [lambda _: []])
    assert not pipeline.new_events()
    events = put(pipeline, event(1))
    assert len(events) == 1
    assert pipeline.records(events, interleaved=True) == []


def test_putting_one_in_says_how_many_bytes_it_has_become():
    pipeline = RecordPipeline(ENCODER)
    events = pipeline.new_events()
    sizes = [events.append(event(1, 2)), events.append(event(3))]
    found = pipeline.records(events, interleaved=False)
    assert sizes == [sum(len(each.keys[i]) + len(each.values[i]) for i in range(len(each))) for each in found]


def test_a_batch_has_the_size_of_what_its_events_became_and_of_the_columns_of_what_was_dropped():
    sizes = sizes_of(unit_settings())
    encoded = Batch(0, sizes, RecordPipeline(ENCODER).new_events())
    dropped = Batch(0, sizes, RecordPipeline(ENCODER, [lambda _: []]).new_events())
    listed = Batch(0, sizes)
    for batch in (encoded, dropped, listed):
        batch.add(event(1, 2))
    assert encoded.bytes == sum(each.keys.size + each.values.size for each in encoded.events.made)
    assert dropped.bytes == listed.bytes == sizes.of(event(1, 2).outline()) > 0


@pytest.mark.parametrize(
    "converter", ["io.confluent.connect.protobuf.ProtobufConverter", "io.confluent.connect.json.JsonSchemaConverter"]
)
def test_registries_are_asked_before_anything_is_read(converter):
    with FakeRegistry() as registry:
        settings = from_mapping(
            MINIMAL | {"value.converter": converter, "value.converter.schema.registry.url": registry.url}
        )
        check_registries(settings)
        assert [(method, path) for method, path, _, _ in registry.requests] == [("GET", "/schemas/types")]


def test_rows_keep_a_name_of_before_whatever_transforms_make_of_it_and_other_records_do_not():
    router = "org.apache.kafka.connect.transforms.RegexRouter"
    given = {"transforms": "r", "transforms.r.type": router, "transforms.r.regex": ".*", "transforms.r.replacement": "new"}
    settings = unit_settings(given)
    before = evolve(settings, routing=Routing(renames=(TopicRename(".*", "old"),)))
    rows = row_changes([("c", None, (1, "a")), ("d", (1, "a"), None)]).source_records()
    for kind, topic in ((EventKind.ROWS, "old"), (EventKind.HEARTBEAT, "new")):
        made = pipeline_of(before, keeps_names=True).made_of(replace(rows, kind=kind))
        assert [(each.topic, len(each)) for each in made] == [(topic, 3)]
    assert [each.topic for each in pipeline_of(before).made_of(rows)] == ["new"]
    without = evolve(unit_settings(), routing=before.routing)
    assert [each.topic for each in pipeline_of(without, keeps_names=True).made_of(rows)] == ["old"]
