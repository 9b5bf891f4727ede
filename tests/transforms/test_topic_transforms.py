"""ExtractTopic of Confluent and Aiven, and ChangeTopicCase."""

import pyarrow as pa
import pytest

from support.transforming import UNWRAP, changes, properties, rows, run
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, TransformError, UnsupportedError
from tailrace.schema.connect import Schema, Type
from tailrace.schema.topic_cases import recased
from tailrace.schema.topic_renames import TopicRename

CONFLUENT = "io.confluent.connect.transforms.ExtractTopic"
AIVEN = "io.aiven.kafka.connect.transforms.ExtractTopic"
CASE = "com.github.jcustenborder.kafka.connect.transform.common.ChangeTopicCase"
TABLE = {
    "s": (Schema(Type.STRING, True), pa.array(["a", "b", None, ""], pa.string_view())),
    "n": (Schema(Type.INT32, True), pa.array([1, 2, 1, None])),
}
SKIPS = {"skip.missing.or.null": "true"}


def topics(*chain, **options):
    return [(each.topic, each.value["n"]) for each in run(rows(TABLE), *chain, **options)]


def test_a_text_names_the_topic_and_records_without_one_stay_where_that_is_wanted():
    found = topics((f"{CONFLUENT}$Value", {"field": "s"} | SKIPS))
    assert sorted(found, key=str) == [("a", 1), ("b", 2), ("t", 1), ("t", None)]


def test_records_without_a_text_fail():
    with pytest.raises(TransformError, match="'s' is missing, null or empty"):
        topics((f"{CONFLUENT}$Value", {"field": "s"}))
    assert topics((f"{CONFLUENT}$Value", {"field": "s"}), tolerant=True) == [("a", 1), ("b", 2)]


def test_a_path_leads_into_structs():
    path = {"field": '$.after["c1"]', "field.format": "JSON_PATH"} | SKIPS
    assert sorted(each.topic for each in run(changes(), (f"{CONFLUENT}$Value", path))) == ["a", *["dbz.shop.t"] * 3]


def test_the_whole_and_a_header_name_topics():
    whole = run(rows(TABLE), ("ExtractField$Value", {"field": "s"}), (f"{CONFLUENT}$Value", SKIPS))
    assert sorted(each.topic for each in whole) == ["a", "b", "t", "t"]
    header = ("HeaderFrom$Value", {"fields": "s", "headers": "h", "operation": "copy"})
    assert topics(header, (f"{CONFLUENT}$Header", {"field": "h"} | SKIPS))[0] == ("a", 1)


def test_numbers_name_topics_with_aivens_and_not_with_confluents():
    assert topics((f"{AIVEN}$Value", {"field.name": "n"} | SKIPS)) == [("1", 1), ("1", 1), ("2", 2), ("t", None)]
    with pytest.raises(TransformError, match="'n' is a int32, which names no topic"):
        topics((f"{CONFLUENT}$Value", {"field": "n"}))


def test_aivens_fails_on_nulls_whatever_is_skipped():
    with pytest.raises(TransformError, match="its value is null"):
        run(changes(), UNWRAP, (f"{AIVEN}$Value", {"field.name": "c1"} | SKIPS))


@pytest.mark.parametrize(
    ("type_", "options", "message"),
    [
        ("$Header", {}, "it names the header"),
        ("$Value", {"field": "$.a[0]", "field.format": "JSON_PATH"}, "only members"),
        ("$Value", {"field": "a", "field.format": "JSON_PATH"}, r"must begin with \$"),
    ],
)
def test_a_wrong_option_is_refused(type_, options, message):
    with pytest.raises((ConfigError, UnsupportedError), match=message):
        topics((CONFLUENT + type_, options))


def test_topics_from_contents_need_one_lane():
    assert unit_settings(properties((f"{CONFLUENT}$Value", {"field": "s"})) | {"tasks.max": "2"}).warnings


def test_the_words_of_topics_are_put_together_in_another_way():
    assert {each.topic for each in run(changes(topic="MyTopicName"), (CASE, {"from": "UPPER_CAMEL", "to": "LOWER_UNDERSCORE"}))} == {
        "my_topic_name"
    }


@pytest.mark.parametrize(
    ("topic", "before", "after", "found"),
    [
        ("my-topic", "LOWER_HYPHEN", "UPPER_CAMEL", "MyTopic"),
        ("MY_TOPIC", "UPPER_UNDERSCORE", "LOWER_CAMEL", "myTopic"),
        ("myTOpic", "LOWER_CAMEL", "UPPER_UNDERSCORE", "MY_T_OPIC"),
        ("My-Topic", "LOWER_HYPHEN", "LOWER_UNDERSCORE", "My_Topic"),
        ("a__b", "LOWER_UNDERSCORE", "UPPER_UNDERSCORE", "A__B"),
        ("same.Same", "LOWER_CAMEL", "LOWER_CAMEL", "same.Same"),
    ],
)
def test_cases_are_guavas(topic, before, after, found):
    assert recased(topic, before, after) == found


def test_a_change_of_case_is_stored_with_the_routing_and_others_as_before():
    step = TopicRename("", "", from_case="LOWER_CAMEL", to_case="LOWER_HYPHEN")
    assert TopicRename.from_dict(step.to_dict()) == step
    assert TopicRename("a", "b").to_dict() == {"regex": "a", "replacement": "b", "only": None, "negate": False}
    assert TopicRename.from_dict({"regex": "a", "replacement": "b"}) == TopicRename("a", "b")


def test_tables_topics_are_known_before_rows_are_read():
    assert unit_settings(properties((CASE, {"from": "LOWER_CAMEL", "to": "LOWER_HYPHEN"}))).routing.renames
