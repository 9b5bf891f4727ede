"""The lists that stop a connector that begins, and those that only cause warnings, without a server."""

import pytest

from support.unit_settings import sqlserver_unit_settings, unit_settings
from tailrace.connectors.findings import Level
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.unmatched_lists import MOST, Existing, findings, require, wants_columns, warn
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId

ORDERS, ITEMS = TableId("shop", "", "orders"), TableId("shop", "", "items")


def there(settings, *tables, columns=()):
    captured = [table for table in tables if settings.tables.matches(table)]
    named = dict.fromkeys(captured, columns) if columns else {}
    return Existing(["shop", "mysql"], tables, captured, named, ["dbo"])


def found(properties, *tables, columns=(), settings=unit_settings):
    made = settings(properties)
    return {finding.what: finding.level for finding in findings(made, there(made, *tables, columns=columns))}


def test_a_table_list_that_matches_nothing_is_an_error():
    assert found({"table.include.list": "orders"}, ORDERS) == {
        "table.include.list: no table (database.table) matches 'orders' (the list wants shop.orders)": Level.ERROR
    }


def test_it_is_a_warning_where_that_is_meant():
    meant = {"table.include.list": "shop.later", "tailrace.start.without.tables": "true"}
    assert list(found(meant, ORDERS).values()) == [Level.WARNING]
    assert list(found(meant).values()) == [Level.WARNING]


def test_an_expression_beside_one_that_matches_is_a_warning():
    assert found({"table.include.list": "shop.orders,shop.itmes"}, ORDERS, ITEMS) == {
        "table.include.list: no table (database.table) matches 'shop.itmes' (is shop.items meant?)": Level.WARNING
    }


def test_no_list_and_an_empty_database_are_nothing_to_stop_for():
    assert found({}, ORDERS) == {}
    assert found({"database.include.list": "shop"}) == {}
    assert found({"table.exclude.list": "shop.orders"}) == {}


def test_a_database_that_is_not_there_is_a_warning():
    assert found({"database.include.list": "shpo"}, ORDERS) == {
        "database.include.list: no database matches 'shpo' (is shop meant?)": Level.WARNING
    }


def test_lists_that_exclude_everything_are_an_error():
    (what,) = found({"table.exclude.list": "shop[.].*"}, ORDERS, ITEMS)
    assert what == "table.exclude.list leaves out every table that exists: shop.orders, shop.items"
    (what,) = found({"table.include.list": "shop.orders", "database.exclude.list": "shop"}, ORDERS)
    assert "leave out every table that the lists of tables let through: shop.orders" in what


def test_a_snapshot_list_is_looked_at_where_a_snapshot_is_taken():
    listed = {"snapshot.include.collection.list": "orders"}
    assert found(listed, ORDERS) == {}
    (what,) = found({**listed, "snapshot.mode": "initial"}, ORDERS)
    assert what.endswith("no captured table (database.table) matches 'orders' (the list wants shop.orders)")


def test_one_part_where_a_snapshot_list_wants_two_or_three():
    table = TableId("testDB", "dbo", "orders")
    listed = {"snapshot.include.collection.list": "orders", "snapshot.mode": "initial"}
    assert found(listed, table, settings=sqlserver_unit_settings) == {
        "snapshot.include.collection.list: no captured table (schema.table or database.schema.table) matches 'orders' "
        "(the list wants testDB.dbo.orders)": Level.ERROR
    }
    for name in ("testDB[.]dbo[.]orders", "dbo.orders", "DBO[.]or.*"):
        named = {**listed, "snapshot.include.collection.list": name}
        assert found(named, table, TableId("other", "dbo", "orders"), settings=sqlserver_unit_settings) == {}


def test_three_parts_where_a_table_list_wants_two():
    table = TableId("testDB", "dbo", "orders")
    assert found({"table.include.list": "testDB.dbo.orders"}, table, settings=sqlserver_unit_settings) == {
        "table.include.list: no table (schema.table) matches 'testDB.dbo.orders' (the list wants dbo.orders)": Level.ERROR
    }
    (what,) = found({"schema.include.list": "dob"}, table, settings=sqlserver_unit_settings)
    assert what == "schema.include.list: no schema matches 'dob' (is dbo meant?)"


def test_a_table_that_is_let_through_and_not_captured_is_an_error():
    settings = sqlserver_unit_settings({"table.include.list": "dbo.orders"})
    table = TableId("testDB", "dbo", "orders")
    (finding,) = findings(settings, Existing(["testDB"], [table], [], {}, ["dbo"]))
    assert (finding.level, "of none the changes are captured" in finding.what) == (Level.ERROR, True)


def test_columns_that_are_not_there_are_warnings_and_keys_an_error():
    assert found({"column.exclude.list": "shop.orders.nmae"}, ORDERS, columns=("id", "name")) == {
        "column.exclude.list: no column of a captured table (database.table.column) matches 'shop.orders.nmae' "
        "(is shop.orders.name meant?)": Level.WARNING
    }
    assert list(found({"message.key.columns": "shop.orders:ids"}, ORDERS, columns=("id", "name")).values()) == [Level.ERROR]
    some = found({"message.key.columns": "shop.orders:id,nmae"}, ORDERS, columns=("id", "name"))
    assert list(some.values()) == [Level.WARNING]


def test_keys_of_sql_server_may_have_the_full_name_or_not():
    table = TableId("testDB", "dbo", "orders")
    for name in ("dbo.orders", "testDB.dbo.orders"):
        assert found({"message.key.columns": f"{name}:id"}, table, columns=("id",), settings=sqlserver_unit_settings) == {}


def test_columns_are_asked_for_only_where_a_list_names_some():
    assert not wants_columns(unit_settings())
    assert wants_columns(unit_settings({"message.key.columns": "shop.orders:id"}))


def test_few_expressions_are_told_of_many():
    names = ",".join(f"shop.x{i}" for i in range(20))
    told = found({"table.include.list": f"shop.orders,{names}"}, ORDERS)
    assert len(told) == 6
    assert "table.include.list: 15 expressions more match nothing" in told


def test_a_beginning_is_refused_with_what_to_do_and_a_later_start_warns(caplog):
    settings = unit_settings({"table.include.list": "shop.oders"})
    with pytest.raises(ConfigError, match=r"'shop.oders' \(is shop.orders meant\?\).*set tailrace.start.without.tables=true"):
        require(settings, there(settings, ORDERS))
    assert not caplog.messages
    warn(settings, there(settings, ORDERS))
    assert "is shop.orders meant?" in caplog.text


def test_a_near_miss_is_looked_for_only_where_it_is_told(monkeypatch):
    """Each takes a good part of a second among thousands of tables, and a list may be for more servers than this one."""
    looked_for = []
    monkeypatch.setattr(unmatched_lists, "near_miss", lambda expression, _: looked_for.append(expression) or "")
    told = found({"table.include.list": "shop.orders," + ",".join(f"shop.t{n}" for n in range(40))}, ORDERS)
    assert looked_for == [f"shop.t{n}" for n in range(MOST)]
    assert "table.include.list: 35 expressions more match nothing" in told
