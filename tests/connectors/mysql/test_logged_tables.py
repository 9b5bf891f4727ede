"""Structures and table maps: whether they fit, and the structure that a table map tells by itself."""

from dataclasses import replace

import pytest
from tests.support.unit_settings import unit_settings

from tailrace.connectors.mysql.ddl.editor import UNIQUE as UNIQUE_KEY
from tailrace.connectors.mysql.image_layout import storage_of
from tailrace.connectors.mysql.log import table_map as log
from tailrace.connectors.mysql.log.table_map import MapColumn, TableMap
from tailrace.connectors.mysql.logged_tables import misfits_of_nulls
from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.types import column_type, misfits, table_of_map
from tailrace.connectors.shared import jdbc
from tailrace.errors import UnsupportedError
from tailrace.schema.tables import Column, Table, TableId

UTF8MB4, LATIN1, BINARY = 255, 8, 63


def logged(*columns, key=((0, 0),)):
    return TableMap(1, 0, "d", "t", columns, key)


def table(*columns):
    return Table(TableId("d", "", "t"), columns, ("id",))


ID = Column("id", "INT", "INT", jdbc.INTEGER, optional=False)
NAME = Column(
    "name", "VARCHAR", "VARCHAR", jdbc.VARCHAR, 20, charset="utf8mb4", has_default=True, default="x"
)
LOGGED_ID = MapColumn(log.LONG, 0, nullable=False, unsigned=False, name="id")
LOGGED_NAME = MapColumn(log.VARCHAR, 80, nullable=True, unsigned=False, collation=UTF8MB4, name="name")


def test_a_structure_and_the_map_of_its_table_fit():
    assert misfits(table(ID, NAME), logged(LOGGED_ID, LOGGED_NAME)) == ()


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ((LOGGED_ID,), "has 2 columns and the log says 1"),
        ((LOGGED_ID, replace(LOGGED_NAME, name="title")), "is called title in the log"),
        (
            (replace(LOGGED_ID, type=log.LONGLONG), LOGGED_NAME),
            "id of d.t is INT, and the log has the type 8",
        ),
        ((replace(LOGGED_ID, unsigned=True), LOGGED_NAME), "says otherwise of its sign"),
    ],
)
def test_a_structure_that_contradicts_the_log_is_noticed(columns, says):
    (misfit,) = misfits(table(ID, NAME), logged(*columns))
    assert says in misfit


def test_labels_that_the_structure_does_not_know_are_noticed():
    column = Column("e", "ENUM", "ENUM", jdbc.CHAR, 1, charset="utf8mb4", enum_values=("a",))
    seen = MapColumn(log.ENUM, 1, nullable=True, collation=UTF8MB4, name="e", labels=(b"a", b"b"))
    (misfit,) = misfits(table(column), logged(seen))
    assert "of 1 labels, and the log has 2" in misfit


def enum(*labels):
    return Column("e", "ENUM", "ENUM", jdbc.CHAR, 1, charset="utf8mb4", comment="kept", enum_values=labels)


def logged_enum(*labels, collation=UTF8MB4):
    return MapColumn(log.ENUM, 1, nullable=True, collation=collation, name="e", labels=labels)


def test_labels_that_are_others_in_the_log_are_noticed_and_taken_from_there():
    known, seen = table(ID, enum("a ", "it''s")), logged(LOGGED_ID, logged_enum(b"a ", b"it's"))

    (misfit,) = misfits(known, seen)

    assert """with the label "it''s" where the log has "it's\"""" in misfit
    assert table_of_map(seen, known) == table(ID, enum("a ", "it's"))
    assert misfits(table_of_map(seen, known), seen) == ()


@pytest.mark.parametrize(
    ("label", "collation", "in_log"), [("\x81", LATIN1, b"\x81"), ("é", LATIN1, b"\xe9"), ("é", BINARY, b"\xc3\xa9"), ("é", 24, b"?")]
)
def test_labels_that_python_reads_otherwise_than_the_server_do_not_count(label, collation, in_log):
    assert misfits(table(ID, enum(label)), logged(LOGGED_ID, logged_enum(in_log, collation=collation))) == ()


def test_another_primary_key_in_the_log_is_noticed_and_taken_from_there():
    known = replace(table(ID, NAME), primary_key=("name",), attributes=(UNIQUE_KEY, ("other", "1")))
    seen = logged(LOGGED_ID, replace(LOGGED_NAME, nullable=False))

    assert misfits(known, seen) == ("the key of d.t is name, and the log's is id",)
    healed = table_of_map(seen, known)
    assert (healed.primary_key, healed.attributes) == (("id",), (("other", "1"),))
    assert misfits(healed, seen) == ()


@pytest.mark.parametrize("key", [None, ()])
def test_a_unique_key_is_no_contradiction_to_a_log_without_a_primary_key(key):
    assert misfits(table(ID, NAME), logged(LOGGED_ID, LOGGED_NAME, key=key)) == ()


def test_columns_that_may_be_null_by_only_one_of_the_two_are_told():
    assert misfits_of_nulls(table(ID, NAME), logged(LOGGED_ID, LOGGED_NAME)) == ()
    seen = logged(replace(LOGGED_ID, nullable=True), replace(LOGGED_NAME, nullable=False))
    assert misfits_of_nulls(table(ID, NAME), seen) == ("id", "name")


def test_without_names_and_signs_only_types_count():
    bare = [replace(c, name=None, unsigned=None) for c in (LOGGED_ID, LOGGED_NAME)]
    assert misfits(table(ID, NAME), logged(*bare, key=None)) == ()


@pytest.mark.parametrize(
    ("seen", "type_name", "jdbc_type", "length", "scale", "charset"),
    [
        (
            MapColumn(log.LONGLONG, 0, nullable=True, unsigned=True),
            "BIGINT UNSIGNED",
            jdbc.BIGINT,
            None,
            None,
            None,
        ),
        (
            MapColumn(log.NEWDECIMAL, 10 << 8 | 2, nullable=True, unsigned=False),
            "DECIMAL",
            jdbc.DECIMAL,
            10,
            2,
            None,
        ),
        (
            MapColumn(log.VARCHAR, 80, nullable=True, collation=UTF8MB4),
            "VARCHAR",
            jdbc.VARCHAR,
            20,
            None,
            "utf8mb4",
        ),
        (MapColumn(log.STRING, 10, nullable=True, collation=LATIN1), "CHAR", jdbc.CHAR, 10, None, "latin1"),
        (MapColumn(log.STRING, 4, nullable=True, collation=BINARY), "BINARY", jdbc.BINARY, 4, None, None),
        (
            MapColumn(log.VARCHAR, 4, nullable=True, collation=BINARY),
            "VARBINARY",
            jdbc.VARBINARY,
            4,
            None,
            None,
        ),
        (
            MapColumn(log.BLOB, 3, nullable=True, collation=UTF8MB4),
            "MEDIUMTEXT",
            jdbc.VARCHAR,
            None,
            None,
            "utf8mb4",
        ),
        (MapColumn(log.BLOB, 4, nullable=True, collation=BINARY), "LONGBLOB", jdbc.BLOB, None, None, None),
        (
            MapColumn(log.TIMESTAMP2, 3, nullable=True),
            "TIMESTAMP",
            jdbc.TIMESTAMP_WITH_TIMEZONE,
            3,
            None,
            None,
        ),
        (MapColumn(log.DATETIME2, 0, nullable=True), "DATETIME", jdbc.TIMESTAMP, None, None, None),
        (MapColumn(log.GEOMETRY, 4, nullable=True, geometry=1), "POINT", jdbc.OTHER, None, None, None),
        (MapColumn(log.VECTOR, 4, nullable=True, dimensions=3), "VECTOR", jdbc.OTHER, 3, None, None),
        (MapColumn(log.BIT, 9, nullable=True), "BIT", jdbc.BIT, 9, None, None),
        (MapColumn(log.JSON, 4, nullable=True), "JSON", jdbc.OTHER, None, None, None),
    ],
)
def test_the_log_tells_a_columns_type(
    seen, type_name, jdbc_type, length, scale, charset
):
    (column,) = table_of_map(logged(replace(seen, name="c"))).columns
    found = (column.type_name, column.jdbc_type, column.length, column.scale, column.charset)
    assert found == (type_name, jdbc_type, length, scale, charset)


def test_the_log_tells_key_labels_and_what_may_be_null():
    labels = MapColumn(log.SET, 1, nullable=False, collation=LATIN1, name="s", labels=(b"\xe9", b"b"))
    found = table_of_map(logged(LOGGED_ID, labels))
    assert found.primary_key == ("id",)
    assert found.columns[1].enum_values == ("é", "b")
    assert not found.columns[1].optional


def test_what_is_known_of_a_column_is_kept_where_it_fits():
    known = replace(table(NAME, ID), comment="people")
    found = table_of_map(logged(LOGGED_ID, LOGGED_NAME), known)
    assert found == replace(known, columns=(ID, NAME))


def test_a_unique_key_stays_the_key_while_its_columns_are_there():
    known = replace(table(ID, NAME), primary_key=("id",))
    assert table_of_map(logged(LOGGED_ID, LOGGED_NAME, key=()), known).primary_key == ("id",)
    assert table_of_map(logged(LOGGED_NAME, key=()), known).primary_key == ()


def test_a_type_that_is_not_known_stops_with_the_columns_name():
    with pytest.raises(UnsupportedError, match=r"the column c has the type 20 in the log"):
        storage_of("c", MapColumn(log.TYPED_ARRAY, 0, nullable=True))


def plan(column, seen, **properties):
    settings = unit_settings({name.replace("_", "."): value for name, value in properties.items()})
    return column_type(TableId("d", "", "t"), column, seen, settings).plan


def test_a_plan_takes_the_bytes_from_the_log_and_the_form_from_the_structure():
    seen = MapColumn(log.VARCHAR, 300, nullable=True, collation=LATIN1)
    assert plan(NAME, seen) == ColumnPlan(Storage.STRING, 2, Out.TEXT, charset="latin1")
    assert plan(ID, LOGGED_ID) == ColumnPlan(Storage.INT, 4, Out.INT)
    big = Column("b", "BIGINT UNSIGNED", "BIGINT UNSIGNED", jdbc.BIGINT)
    seen = MapColumn(log.LONGLONG, 0, nullable=True)
    precise = plan(big, seen, bigint_unsigned_handling_mode="precise")
    assert precise == ColumnPlan(Storage.INT, 8, Out.UNSCALED, unsigned=True)


def test_binary_columns_are_padded_to_the_length_of_their_definition():
    column = Column("b", "BINARY", "BINARY", jdbc.BINARY, 4)
    seen = MapColumn(log.STRING, 4, nullable=True, collation=BINARY)
    assert plan(column, seen) == ColumnPlan(Storage.STRING, 1, Out.BYTES, pad=4)
    assert plan(column, seen, binary_handling_mode="hex").out is Out.HEX


@pytest.mark.parametrize(
    ("type_name", "jdbc_type", "kind", "zero"),
    [
        ("DATE", jdbc.DATE, log.DATE, 0),
        ("DATETIME", jdbc.TIMESTAMP, log.DATETIME2, 0),
        ("TIMESTAMP", jdbc.TIMESTAMP_WITH_TIMEZONE, log.TIMESTAMP2, "1970-01-01T00:00:00Z"),
        ("JSON", jdbc.OTHER, log.JSON, "{}"),
    ],
)
def test_a_zero_date_is_null_or_the_epoch_where_null_is_not_allowed(type_name, jdbc_type, kind, zero):
    column = Column("c", type_name, type_name, jdbc_type)
    assert plan(column, MapColumn(kind, 0, nullable=True)).zero is None
    assert plan(replace(column, optional=False), MapColumn(kind, 0, nullable=False)).zero == zero


def test_a_zero_date_is_the_columns_default_if_it_has_one():
    column = Column("c", "DATE", "DATE", jdbc.DATE, optional=False, has_default=True, default="1970-01-02")
    assert plan(column, MapColumn(log.DATE, 0, nullable=False)).zero == 1
