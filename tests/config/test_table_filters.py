"""Which tables, columns and keys a configuration chooses."""

import pickle

import pytest

from support.configurations import MINIMAL
from tailrace.config.filters import Hash, Mask, SourceTypes, Truncate
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId


def settings(**properties):
    return from_mapping(MINIMAL | {name.replace("__", "."): value for name, value in properties.items()})


def test_without_lists_all_but_the_system_schemas_is_captured():
    tables = settings().tables
    assert tables.matches(TableId("shop", "", "orders"))
    assert not any(
        tables.matches(TableId(name, "", "t")) for name in ("mysql", "sys", "performance_schema", "INFORMATION_SCHEMA")
    )


def test_a_table_needs_both_its_database_and_its_name_to_be_in():
    tables = settings(
        database__include__list="shop, crm_.*", table__include__list=r".*\.orders,other\.t"
    ).tables
    assert tables.matches(TableId("shop", "", "orders"))
    assert tables.matches(TableId("CRM_eu", "", "Orders"))
    assert not tables.matches(TableId("shop", "", "items"))
    assert not tables.matches(TableId("other", "", "t"))


def test_exclude_lists_leave_out_what_matches_as_a_whole():
    tables = settings(database__exclude__list="tmp", table__exclude__list=r"shop\.log.*").tables
    assert not tables.matches(TableId("tmp", "", "a"))
    assert tables.matches(TableId("tmp2", "", "a"))
    assert not tables.matches(TableId("shop", "", "logs"))
    assert tables.matches(TableId("my_shop", "", "logs"))


def test_a_captured_database_is_known_without_a_table():
    tables = settings(database__include__list="shop").tables
    assert tables.matches_database("Shop")
    assert not tables.matches_database("crm")


def test_a_table_name_without_its_database_is_warned_about():
    assert any("orders matches no table" in text for text in settings(table__include__list="orders").warnings)


def test_columns_are_named_with_database_and_table():
    columns = settings(column__exclude__list=r"shop\.users\.(password|token)").columns
    assert not columns.matches(TableId("shop", "", "users"), "Password")
    assert columns.matches(TableId("shop", "", "users"), "password_hint")
    columns = settings(column__include__list=r"shop\.users\.id").columns
    assert columns.matches(TableId("shop", "", "users"), "id")
    assert not columns.matches(TableId("shop", "", "orders"), "id")


@pytest.mark.parametrize("what", ["database", "table", "column"])
def test_include_and_exclude_together_are_refused(what):
    with pytest.raises(ConfigError, match=rf"{what}.include.list and {what}.exclude.list are both set"):
        from_mapping(MINIMAL | {f"{what}.include.list": "a.b.c", f"{what}.exclude.list": "a.b.d"})


def test_a_broken_expression_names_the_property_and_its_value():
    with pytest.raises(
        ConfigError, match=r"table.include.list is 'shop\.\(a': .*'shop.\(a' is not a regular exp"
    ):
        settings(table__include__list="shop.(a")


def test_policies_carry_what_their_names_say():
    made = from_mapping(
        MINIMAL
        | {
            "column.mask.hash.v2.sha-512.with.salt.a.b": "s.t.a",
            "column.mask.hash.SHA-256.with.salt.CzQMA0cB5K": "s.t.b, s.t.c",
            "column.mask.with.0.chars": "s.t.d",
            "column.truncate.to.20.chars": "s.t.e",
        }
    ).column_policies
    truncate, mask, first, second = made
    assert isinstance(truncate, Truncate)
    assert truncate.length == 20
    assert isinstance(mask, Mask)
    assert mask.length == 0
    assert isinstance(first, Hash)
    assert (first.algorithm, first.salt, first.version) == ("SHA-256", "CzQMA0cB5K", 1)
    assert first.matches(TableId("s", "", "t"), "C")
    assert isinstance(second, Hash)
    assert (second.algorithm, second.salt, second.version) == ("SHA-512", "a.b", 2)
    assert "CzQ" not in repr(made)


def test_the_first_rule_that_matches_a_column_is_the_only_one():
    made = from_mapping(
        MINIMAL
        | {
            "column.mask.hash.MD5.with.salt.x": "s.t.*",
            "datatype.propagate.source.type": r".*\.VARCHAR",
            "column.mask.with.3.chars": "s.t.a",
        }
    )
    assert isinstance(made.column_rule(TableId("s", "", "t"), "a", "VARCHAR"), Mask)
    assert isinstance(made.column_rule(TableId("s", "", "t"), "b", "varchar"), SourceTypes)
    assert isinstance(made.column_rule(TableId("s", "", "t"), "b", "TEXT"), Hash)
    assert made.column_rule(TableId("s", "", "u"), "b", "TEXT") is None


def test_an_unknown_hash_algorithm_is_refused_without_the_salt():
    with pytest.raises(ConfigError, match="'CRC32' is none of") as raised:
        from_mapping(MINIMAL | {"column.mask.hash.CRC32.with.salt.CzQMA0cB5K": "s.t.a"})
    assert "CzQMA0cB5K" not in str(raised.value)


def test_propagated_types_are_asked_by_column_or_by_type():
    types = from_mapping(
        MINIMAL | {"column.propagate.source.type": "s.t.a", "datatype.propagate.source.type": r"s\.t\.INT"}
    ).source_types
    assert types.matches(TableId("s", "", "t"), "a", "TEXT")
    assert types.matches(TableId("s", "", "t"), "b", "int")
    assert not types.matches(TableId("s", "", "t"), "b", "BIGINT")
    assert not settings().source_types.matches(TableId("s", "", "t"), "a", "INT")


def test_message_keys_come_in_the_order_of_the_property():
    keys = settings(message__key__columns=r"s.t:b, a;(.*).orders:pk3,pk\d").message_keys
    assert keys.columns_for(TableId("s", "", "t"), ["a", "b", "c"]) == ("b", "a")
    assert keys.columns_for(TableId("x", "", "Orders"), ["pk1", "PK3", "id"]) == ("PK3", "pk1")
    assert keys.columns_for(TableId("s", "", "u"), ["a", "b"]) == ()


@pytest.mark.parametrize("text", ["a", "s.t:", ":a", "s.t:a,,b", "s.t:a;"])
def test_message_keys_of_another_form_are_refused(text):
    with pytest.raises(ConfigError, match=r"message\.key\.columns"):
        settings(message__key__columns=text)


def test_filters_survive_pickling():
    made = settings(table__include__list="s.t", message__key__columns="s.t:a", column__exclude__list="s.t.b")
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - made here
    assert again == made
    assert again.tables.matches(TableId("s", "", "t"))
