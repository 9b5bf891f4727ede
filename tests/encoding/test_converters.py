"""The table of converters that have properties of their own."""

import pytest

from tailrace.config.property import PropertyTables
from tailrace.converter_classes import OF_HEADERS, WITH_OWN_PROPERTIES
from tailrace.encoding.converters import CONVERTERS


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
