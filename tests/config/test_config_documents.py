"""Files that can't be read as a configuration say so, with the place."""

import json

import pytest

from support.configurations import MINIMAL
from tailrace.connectors.load import from_mapping, load
from tailrace.errors import ConfigError


def refused(path, text=None):
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load(path)
    return str(raised.value)


def test_a_missing_file_is_named(tmp_path):
    assert refused(tmp_path / "none.json").endswith("none.json: No such file or directory")


def test_broken_json_names_line_and_column(tmp_path):
    assert "c.json, line 2, column 1: " in refused(tmp_path / "c.json", '{"a": 1,\n}')


def test_a_json_array_is_no_configuration(tmp_path):
    assert "holds no JSON object" in refused(tmp_path / "c.json", "[]")


def test_a_broken_properties_file_names_its_line(tmp_path):
    assert "c.properties, line 2: " in refused(tmp_path / "c.properties", "a=1\nb=\\u1")


TWICE = {
    "c.json": json.dumps(MINIMAL | {"topic.prefix": "first"})[:-1] + ', "topic.prefix": "last"}',
    "c.properties": "".join(f"{name}={value}\n" for name, value in MINIMAL.items()) + "topic.prefix=last\n",
}


@pytest.mark.parametrize("name", TWICE)
def test_of_a_name_that_stands_twice_the_last_one_counts(tmp_path, name):
    (tmp_path / name).write_text(TWICE[name])
    settings = load(tmp_path / name)
    assert settings.topic_prefix == "last"
    assert "topic.prefix stands there more than once with different values: the last one counts" in settings.warnings
    with pytest.raises(ConfigError, match="more than once"):
        load(tmp_path / name, strict=True)


def test_a_salt_in_a_name_that_stands_twice_is_not_shown(tmp_path):
    salted = '"column.mask.hash.SHA-256.with.salt.hunter2": "a"'
    (tmp_path / "c.json").write_text(json.dumps(MINIMAL)[:-1] + f', {salted}, {salted[:-2]}b"}}')
    assert "hunter2" not in str(load(tmp_path / "c.json").warnings)
    with pytest.raises(ConfigError) as raised:
        from_mapping(MINIMAL | {"column.mask.hash.SHA-256.with.salt.hunter2": ["a"]})
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,\n}', "no comma before a closing bracket"),
        ('{// why\n"a": 1}', "no comments"),
        ('{"a": 1 # why\n}', "no comments"),
        ('/* why */ {"a": 1}', "no comments"),
    ],
)
def test_what_json_does_not_have_is_told(tmp_path, text, says):
    assert f"(JSON has {says})" in refused(tmp_path / "c.json", text)


def test_utf_16_is_told(tmp_path):
    (tmp_path / "c.json").write_bytes(json.dumps(MINIMAL).encode("utf-16"))
    assert "is not UTF-8 at byte 0 (it seems to be UTF-16: save it as UTF-8)" in refused(tmp_path / "c.json")


def test_text_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "c.properties").write_bytes(b"name=\xff")
    assert "is not UTF-8 at byte 5" in refused(tmp_path / "c.properties")


def test_a_file_without_a_suffix_that_begins_with_a_brace_is_json(tmp_path):
    assert "is missing" in refused(tmp_path / "connector", " {}")


def test_a_list_in_json_is_answered_with_the_text_to_write():
    with pytest.raises(
        ConfigError, match=r"table.include.list is a JSON array: write one text with commas$"
    ):
        from_mapping(MINIMAL | {"table.include.list": ["a", "b"]})


def test_an_object_in_json_is_refused():
    with pytest.raises(ConfigError, match=r"topic\.prefix is a JSON object: every property is a text"):
        from_mapping(MINIMAL | {"topic.prefix": {}})


def test_the_two_names_of_a_connector_must_agree():
    with pytest.raises(ConfigError, match="the name is 'a' outside"):
        from_mapping({"name": "a", "config": MINIMAL | {"name": "b"}})


def test_properties_beside_config_are_refused():
    with pytest.raises(ConfigError, match=r'topic.prefix stands beside "config"'):
        from_mapping({"name": "a", "topic.prefix": "x", "config": MINIMAL})


def test_what_kafka_connect_answers_is_taken_too():
    assert from_mapping({"name": "a", "config": MINIMAL, "tasks": [], "type": "source"}).name == "a"


WITHOUT_CLASS = {name: value for name, value in MINIMAL.items() if name != "connector.class"}


@pytest.mark.parametrize(
    "document",
    [
        {"connectorName": "mine", "connectorConfiguration": MINIMAL, "capacity": {"provisionedCapacity": {"mcuCount": 1}}},
        {
            "apiVersion": "kafka.strimzi.io/v1beta2",
            "kind": "KafkaConnector",
            "metadata": {"name": "mine", "labels": {"strimzi.io/cluster": "connect"}},
            "spec": {"class": MINIMAL["connector.class"], "tasksMax": 1, "config": WITHOUT_CLASS},
        },
    ],
)
def test_what_msk_connect_and_strimzi_put_a_connector_into_is_taken(tmp_path, document):
    (tmp_path / "c.json").write_text(json.dumps(document))
    settings = load(tmp_path / "c.json")
    assert (settings.name, settings.topic_prefix) == ("mine", "shop")
