"""Which classes of custom converters a configuration may name, and what is said of the others."""

import pytest

from support.unit_settings import sqlserver_unit_settings, unit_settings
from tailrace.connectors.mysql.converters import CONVERTERS
from tailrace.errors import ConfigError, UnsupportedError

BOOLEAN = "io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter"
ZERO = "io.debezium.connector.binlog.converters.ZeroDateFallbackConverter"
ORACLE = "io.debezium.connector.oracle.converters."


def given(type_, **options):
    return {"converters": "a", "a.type": type_} | {f"a.{name.replace('_', '.')}": text for name, text in options.items()}


@pytest.mark.parametrize("type_", CONVERTERS)
def test_debeziums_are_known_by_both_of_their_names(type_):
    (found,) = unit_settings(given(type_)).custom_converters
    assert (found.alias, found.type) == ("a", type_)


@pytest.mark.parametrize("name", ["NumberOneToBooleanConverter", "NumberToZeroScaleConverter", "RawToStringConverter"])
def test_those_of_oracle_are_refused_with_a_word(name):
    with pytest.raises(UnsupportedError, match="it is for Oracle, which tailrace does not read yet"):
        unit_settings(given(ORACLE + name))


def test_java_classes_of_ones_own_are_refused_with_the_guide():
    with pytest.raises(UnsupportedError, match=r"classes in Java can't be run; write it in Python, see docs/guides/custom-converters\.md"):
        unit_settings(given("com.example.GeoConverter"))


def test_a_misspelt_class_is_told():
    with pytest.raises(UnsupportedError, match=rf"did you mean {BOOLEAN}\?"):
        unit_settings(given(BOOLEAN.replace("TinyInt", "TinyInd")))


def test_a_converter_of_another_database_is_refused():
    with pytest.raises(ConfigError, match="it is for MySQL"):
        sqlserver_unit_settings(given(BOOLEAN))


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        (given(BOOLEAN, selektor="x"), "a.selektor is no property of TinyIntOneToBooleanConverter; did you mean selector?"),
        (given(BOOLEAN, selector="("), "a.selector is '('"),
        (given(BOOLEAN, length_checker="perhaps"), "a.length.checker is 'perhaps': it must be true or false"),
        (given(ZERO, fallback_date="2024-02-30"), "a.fallback.date is '2024-02-30'"),
        (given(ZERO, fallback_timestamp="2024-01-01"), "write NULL, or a TIMESTAMP as 2000-01-31T23:59:59Z"),
        (given(ZERO, column_d_t_c_fallback="soon"), "a.column.d.t.c.fallback is 'soon'"),
    ],
)
def test_wrong_options_are_told(properties, says):
    with pytest.raises(ConfigError) as caught:
        unit_settings(properties)
    assert says in str(caught.value)


def test_an_option_that_there_is_not_has_no_effect():
    settings = unit_settings(given(BOOLEAN, colour="blue"))
    assert any("a.colour has no effect: TinyIntOneToBooleanConverter has no such property" in each for each in settings.warnings)
