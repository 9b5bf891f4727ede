"""`snapshot.select.statement.overrides`: which tables have a statement of the user's own."""

import pytest

from support.unit_settings import unit_settings
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId

LIST = "snapshot.select.statement.overrides"
ORDERS = "SELECT * FROM shop.orders WHERE deleted = 0 ORDER BY id DESC"


def of(name, **properties):
    return unit_settings({LIST: name} | properties)


def test_each_table_that_is_named_has_its_statement():
    settings = of("shop.orders, a.b", **{f"{LIST}.shop.orders": ORDERS, f"{LIST}.a.b": "SELECT * FROM a.b"})
    assert settings.select_overrides.of(TableId("shop", "", "orders")).statement == ORDERS
    assert settings.select_overrides.of(TableId("a", "", "b")).given_as == f"{LIST}.a.b"
    assert settings.select_overrides.of(TableId("shop", "", "Orders")) is None
    assert settings.warnings == ()


def test_names_may_be_quoted_and_need_not_be_quoted_alike():
    settings = of('"my shop"."or.ders"', **{f"{LIST}.`my shop`.`or.ders`": ORDERS})
    assert settings.select_overrides.of(TableId("my shop", "", "or.ders")).statement == ORDERS


def test_case_does_not_count_where_the_server_keeps_names_in_lower_case():
    settings = of("Shop.Orders", **{f"{LIST}.Shop.Orders": ORDERS})
    assert settings.select_overrides.of(TableId("shop", "", "orders"), lower_names=True).statement == ORDERS


def test_a_table_without_a_statement_is_refused():
    with pytest.raises(ConfigError, match=rf"{LIST} names shop.orders, and {LIST}.shop.orders is missing"):
        of("shop.orders", **{f"{LIST}.shop.orders": " "})


@pytest.mark.parametrize("name", ["orders", "a.b.c", 'shop."orders'])
def test_what_is_no_name_of_a_table_is_refused(name):
    with pytest.raises(ConfigError, match="is no name of a table: it must be"):
        of(name)


def test_a_statement_whose_table_is_not_named_has_no_effect():
    settings = unit_settings({f"{LIST}.shop.orders": ORDERS, f"{LIST}.shop": ORDERS})
    assert settings.select_overrides.given == ()
    assert [warning.partition(" has no effect")[0] for warning in settings.warnings] == [f"{LIST}.shop", f"{LIST}.shop.orders"]


def test_a_class_that_writes_the_statements_is_refused():
    with pytest.raises(ConfigError, match=r"snapshot.query.mode is 'custom'.*is a Java class; name tables in snapshot.select"):
        unit_settings({"snapshot.query.mode": "custom"})
