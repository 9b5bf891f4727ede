"""Which tables a signal means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.schema.table_names import signal_tables, table_id
from tailrace.schema.tables import TableId
from tailrace.signals.matching import Collection, collections_of, is_name, stopped_by, unmatched
from tailrace.signals.model import Channel, Condition, ExecuteSnapshot, SnapshotKind, StopSnapshot


def table(name, database="db1"):
    return TableId(database, "", name)


A, B, C = table("a"), table("b"), table("c")
UPPER_A = table("A")
DOTTED = table("My.Table")
TABLES = (A, B, C, DOTTED, table("order$items"), table("a", "db2"))


def execute(*names, kind=SnapshotKind.INCREMENTAL, conditions=()):
    return ExecuteSnapshot(id="1", channel=Channel.SOURCE, kind=kind, collections=names, conditions=conditions)


def meant(*names, tables=TABLES, kind=SnapshotKind.INCREMENTAL):
    return [found.table for found in collections_of(execute(*names, kind=kind), tables) if found.known]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("db1.t", table("t")),
        (" db1 . t ", table("t")),
        ('db1."My.Table"', DOTTED),
        ("`db1`.`My.Table`", DOTTED),
        ("'db1'.t", table("t")),
        ('db1."say ""yes"""', table('say "yes"')),
        ("db1.`a``b`", table("a`b")),
        ('db1.a"b', table('a"b')),
        ("t", TableId("", "", "t")),
        ("db1.dbo.t", TableId("db1", "dbo", "t")),
        ("db1.ta-ble$1", table("ta-ble$1")),
        ('db1."a"".b"', table('a".b')),
    ],
)
def test_a_name_is_taken_apart_at_the_dots_outside_quotes(name, expected):
    assert table_id(name) == expected


@pytest.mark.parametrize(
    "name", ["", " ", ".", "a.", ".a", "a..b", 'a."b', '"a"b', "a b", "a.b.c.d", 'db1."a".', "''x"]
)
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ValueError, match="is not the name of a table"):
        table_id(name)


def test_the_signal_tables_are_meant_literally():
    assert signal_tables(["db1.debezium_signal"]) == (table("debezium_signal"),)
    assert signal_tables(["db1.s", 'db2."s.t"']) == (table("s"), table("s.t", "db2"))
    assert signal_tables([]) == ()


def test_an_expression_means_all_whose_whole_name_matches():
    assert meant(r"db1\.[ab]") == [A, B]
    assert meant(r".*\.a") == [A, table("a", "db2")]
    assert meant("db1.") == meant("b1.a") == []


def test_a_plain_name_is_an_expression_too():
    assert meant("db1.a") == [A]
    assert meant("db1.a", tables=[A, TableId("", "", "db1xa")]) == [A, TableId("", "", "db1xa")]


@pytest.mark.parametrize(
    "name", ['db1."My.Table"', "`db1`.`My.Table`", r"db1\.My\.Table", '"db1"."My.Table"', "db1.My.*"]
)
@pytest.mark.parametrize("kind", SnapshotKind)
def test_a_table_with_a_dot_in_its_name_can_be_meant(name, kind):
    assert meant(name, kind=kind) == [DOTTED]


def test_a_name_with_signs_of_expressions_is_taken_literally_where_it_matches_nothing():
    assert meant("db1.order$items") == [table("order$items")]
    assert meant('db1."a("', tables=[table("a(")]) == [table("a(")]


def test_the_order_is_that_of_the_list_and_each_table_comes_once():
    assert meant("db1.c", "db1.b", r"db1\.[abc]", "db1.c") == [C, B, A]


def test_case_decides_where_it_can():
    both = [A, UPPER_A]
    assert meant("db1.a", tables=both) == [A]
    assert meant("db1.A", tables=both) == [UPPER_A]
    assert meant("DB1.A", tables=[A]) == [A]
    assert meant('DB1."MY.TABLE"') == [DOTTED]


def test_case_does_not_count_for_a_blocking_snapshot():
    assert meant("db1.a", tables=[A, UPPER_A], kind=SnapshotKind.BLOCKING) == [A, UPPER_A]


def test_a_table_that_is_not_there_is_told_as_such_in_its_place():
    found = collections_of(execute("db1.b", 'db1."no.such"', "db1.a"), TABLES)
    assert found == (Collection(B), Collection(table("no.such"), known=False), Collection(A))


def test_what_is_neither_is_left_out():
    assert collections_of(execute("", "db9.[ab] c"), TABLES) == ()
    assert [is_name(name) for name in ("", "db9.[ab] c", "db9.a")] == [False, False, True]


ORDERS, ELSEWHERE = TableId("shop", "dbo", "orders"), TableId("crm", "dbo", "orders")
ODD = TableId("shop", "dbo", "my.orders")
OF_SCHEMAS = (ORDERS, ELSEWHERE, ODD, TableId("shop", "sales", "orders"))


@pytest.mark.parametrize("kind", SnapshotKind)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shop.dbo.orders", [ORDERS]),
        (r"shop\.dbo\.orders", [ORDERS]),
        ("dbo.orders", [ORDERS, ELSEWHERE]),
        ("DBO.ORDERS", [ORDERS, ELSEWHERE]),
        (r"dbo\.ord.*", [ORDERS, ELSEWHERE]),
        ('dbo."my.orders"', [ODD]),
        ('shop.dbo."my.orders"', [ODD]),
        (r"sales\..*", [OF_SCHEMAS[3]]),
        ("orders", []),
    ],
)
def test_where_tables_have_a_schema_a_name_may_do_without_the_database(name, expected, kind):
    assert meant(name, tables=OF_SCHEMAS, kind=kind) == expected


@pytest.mark.parametrize("kind", SnapshotKind)
@pytest.mark.parametrize("name", ["dbo.orders", "shop.dbo.orders"])
def test_a_condition_may_do_without_the_database_too(name, kind):
    signal = execute("dbo.orders", kind=kind, conditions=(Condition(name, "x"),))
    assert {each.table: each.condition for each in collections_of(signal, OF_SCHEMAS)}[ORDERS] == "x"


def test_what_names_nothing_comes_with_what_may_be_meant():
    found = unmatched(execute("db1.a", "a", "db1.bb", "`db1`.`nothing`", r"db7\..*", "b"), TABLES)
    assert list(found) == ["a", "db1.bb", "`db1`.`nothing`", r"db7\..*", "b"]
    assert "db1.a" in found["a"]
    assert "db1.b" in found["db1.bb"]
    of_schemas = unmatched(execute("orders", kind=SnapshotKind.BLOCKING), OF_SCHEMAS)
    assert "dbo.orders" in of_schemas["orders"]


def test_the_first_condition_that_fits_counts():
    conditions = (Condition("db1.b", "x"), Condition(r"DB1\..*", "y"), Condition(".*", "z"))
    found = collections_of(execute("db1.a", "db1.b", "db2.a", conditions=conditions), TABLES)
    assert [each.condition for each in found] == ["y", "x", "z"]


@pytest.mark.parametrize("name", ['db1."My.Table"', "db1.My.Table", r"db1\.My\.Table"])
def test_a_condition_may_be_for_a_table_with_a_dot_in_its_name(name):
    (found,) = collections_of(execute('db1."My.Table"', conditions=(Condition(name, "x"),)), TABLES)
    assert found.condition == "x"


def test_a_blocking_snapshots_statement_is_for_the_table_of_that_name_only():
    conditions = (Condition("db1.*", "SELECT 1"), Condition("db1.b", "SELECT 2"))
    found = collections_of(execute("db1.a", "db1.b", kind=SnapshotKind.BLOCKING, conditions=conditions), TABLES)
    assert [each.condition for each in found] == [None, "SELECT 2"]


def test_a_condition_may_be_for_none():
    assert collections_of(execute("db1.a", conditions=(Condition('db1."("', "x"),)), TABLES) == (Collection(A),)


def stop(*names):
    return StopSnapshot(id="1", channel=Channel.SOURCE, kind=SnapshotKind.INCREMENTAL, collections=names)


def test_a_stop_without_names_means_all_that_is_left():
    assert stopped_by(stop(), TABLES) == TABLES
    assert stopped_by(stop(), ()) == ()


def test_a_stop_means_what_its_names_mean():
    assert stopped_by(stop(r"db1\.[bc]", "db1.a", "db1.nothing"), TABLES) == (B, C, A)


NAMES = st.text(min_size=1, max_size=6)


@given(NAMES, NAMES, st.sampled_from("\"'`"))
def test_any_quoted_name_is_read_back(database, name, quote):
    quoted = ".".join(quote + part.replace(quote, quote * 2) + quote for part in (database, name))
    assert table_id(quoted) == TableId(database, "", name)


@given(st.lists(st.text(max_size=8), max_size=4), st.sampled_from(SnapshotKind))
def test_whatever_the_names_are_tables_come_once_and_are_told_apart(names, kind):
    try:
        found = collections_of(execute(*names, kind=kind), TABLES)
    except ValueError:
        pytest.fail("names that were not checked before must do no harm, either")
    assert len({each.table for each in found}) == len(found)
    assert all((each.table in TABLES) == each.known for each in found)
