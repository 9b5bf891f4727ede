"""The table of converters that have properties of their own."""

from dataclasses import replace

import pytest

from tailrace.config.problems import Problems
from tailrace.config.property import PropertyTables
from tailrace.converter_classes import OF_HEADERS, WITH_OWN_PROPERTIES
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.errors import RegistryUnavailableError

CONFLUENT = {"schema.registry.url": "http://127.0.0.1:1"}
APICURIO = {"apicurio.registry.url": "http://127.0.0.1:1/apis/registry/v3"}


@pytest.mark.parametrize("name", CONVERTERS)
def test_each_converter_has_properties_and_what_makes_its_parts(name):
    own = CONVERTERS[name]
    assert isinstance(own.reading().tables(name), PropertyTables)
    assert all(callable(each) for each in (own.reading().settings, own.making().messages, own.making().schema_ids))
    assert own.title
    assert own.writes


def test_each_converter_has_a_title_of_its_own():
    assert len({own.title for own in CONVERTERS.values()}) == len(CONVERTERS)


def test_the_names_that_a_configuration_may_give_are_those_of_the_table():
    assert set(WITH_OWN_PROPERTIES) == set(CONVERTERS)
    assert set(OF_HEADERS) == {name for name, own in CONVERTERS.items() if own.for_headers}


@pytest.mark.parametrize("name", [name for name in CONVERTERS if name.startswith(("io.confluent.", "io.apicurio."))])
def test_each_converter_with_a_registry_makes_messages_and_the_registrys_client(name):
    own = CONVERTERS[name]
    problems = Problems()
    settings = own.reading().settings(name, "value", APICURIO if "apicurio" in name else CONFLUENT, problems)
    assert problems.wrong + problems.not_yet == []
    assert isinstance(own.making().messages(settings), RegisteredMessages)
    with pytest.raises(RegistryUnavailableError, match=r"127\.0\.0\.1:1"):
        own.making().schema_ids(replace(settings, connection=replace(settings.connection, retries=0))).check()
