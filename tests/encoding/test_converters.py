"""The table of converters that have properties of their own."""

import pytest

from tailrace.config.property import PropertyTables
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
