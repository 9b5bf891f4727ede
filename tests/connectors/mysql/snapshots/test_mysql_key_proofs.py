"""Which statements in the log leave open whether a key told rows apart all the time."""

import pytest

from support.tables_of_ddl import DATABASE, applied
from tailrace.connectors.mysql.catalog import Head, from_variables
from tailrace.connectors.mysql.ddl import index_changes
from tailrace.connectors.mysql.snapshots import key_proofs
from tailrace.connectors.mysql.snapshots.key_proofs import KeyProofs
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.schema.tables import TableId

T = TableId(DATABASE, "", "t")
KEY = ChunkKey("u", (KeyColumn("k", Kind.INT),))
LED = ChunkKey("", (KeyColumn("v", Kind.INT), KeyColumn("k", Kind.INT)), is_led=True)
UNIQUE = "CREATE TABLE t (k {} NOT NULL, v INT NOT NULL, UNIQUE u (k))"


def is_refuted(key, created, *statements):
    """Whether a key is, after these statements on a table."""
    structures, proofs = applied(created), KeyProofs({T: key})
    for statement in statements:
        changes, before = index_changes(statement, DATABASE), structures.get(T)
        structures.apply(DATABASE, statement)
        if changes is not None:
            proofs.note(changes, before, structures.get(T))
    return proofs.is_refuted(T)


@pytest.mark.parametrize(
    ("statement", "refutes"),
    [
        ("DROP INDEX u ON t", True),
        ("CREATE UNIQUE INDEX u ON t (k)", True),
        ("ALTER TABLE t DROP INDEX u, ADD UNIQUE u (k)", False),
        ("ALTER TABLE t ADD PRIMARY KEY (k)", False),
        ("ALTER TABLE other DROP INDEX u", False),
        ("ALTER TABLE t DROP COLUMN k", True),
        ("ALTER TABLE t DROP COLUMN k, ADD COLUMN k INT NOT NULL UNIQUE", True),
        ("ALTER TABLE t DROP COLUMN v, ADD COLUMN w INT UNIQUE", False),
        ("ALTER TABLE t RENAME COLUMN k TO w", True),
        ("ALTER TABLE t MODIFY v VARCHAR(3)", False),
        ("ALTER TABLE t MODIFY k INT AS (v + 1) STORED NOT NULL", True),
        ("ALTER TABLE t CHANGE v w INT GENERATED ALWAYS AS (k) VIRTUAL", False),
        ("ALTER TABLE t RENAME TO s, DROP INDEX i", False),
    ],
)
def test_those_that_drop_or_make_its_index_or_its_columns_do(statement, refutes):
    assert is_refuted(KEY, UNIQUE.format("INT"), statement) == refutes


@pytest.mark.parametrize(
    ("type_", "altered", "refutes"),
    [
        ("INT", "INT", True),
        ("INT", "BIGINT NOT NULL COMMENT 'x'", False),
        ("INT", "INT UNSIGNED NOT NULL", True),
        ("INT", "DECIMAL(20) NOT NULL", True),
        ("DECIMAL(9, 2)", "DEC(20, 2) NOT NULL", False),
        ("DECIMAL(9, 2)", "DECIMAL(9, 1) NOT NULL", True),
        ("VARCHAR(20)", "VARCHAR(200) NOT NULL", False),
        ("VARCHAR(20)", "CHAR(20) NOT NULL", True),
        ("VARCHAR(20)", "VARCHAR(20) CHARACTER SET latin1 NOT NULL", True),
        ("VARCHAR(20) CHARACTER SET utf8mb3", "VARCHAR(30) CHARACTER SET utf8 NOT NULL", False),
        ("VARCHAR(20) CHARACTER SET utf8mb3", "NATIONAL VARCHAR(30) NOT NULL", False),
        ("VARCHAR(20) CHARACTER SET utf8mb3", "VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL", True),
        ("ENUM('a', 'b') CHARACTER SET latin1", "ENUM('a', 'b') CHARACTER SET utf8mb4 NOT NULL", False),
        ("ENUM('a', 'b')", "ENUM('a', 'b', 'c') NOT NULL", False),
        ("ENUM('a', 'b')", "ENUM('b', 'a') NOT NULL", True),
        ("DATETIME", "DATETIME(0) NOT NULL DEFAULT NOW()", False),
        ("DATETIME(6)", "DATETIME(3) NOT NULL", True),
        ("TIMESTAMP(6)", "TIMESTAMP NOT NULL", True),
        ("TIME(3)", "TIME(6) NOT NULL", True),
        ("DATE", "DATE NOT NULL FIRST", False),
        ("BINARY(5)", "BINARY(7) NOT NULL", True),
        ("VARBINARY(5)", "VARBINARY(7) NOT NULL", False),
        ("DOUBLE", "INT NOT NULL", True),
    ],
)
def test_those_that_give_its_columns_other_values_do_or_null(type_, altered, refutes):
    assert is_refuted(KEY, UNIQUE.format(type_), f"ALTER TABLE t MODIFY k {altered}") == refutes


def test_a_column_that_may_no_longer_be_null_was_no_key_before():
    created = "CREATE TABLE t (k INT, v INT NOT NULL, UNIQUE u (k))"
    assert is_refuted(KEY, created, "ALTER TABLE t MODIFY k INT NOT NULL")


def test_a_primary_key_may_be_defined_without_not_null():
    key = ChunkKey("PRIMARY", KEY.columns)
    assert not is_refuted(key, "CREATE TABLE t (k INT PRIMARY KEY)", "ALTER TABLE t MODIFY k BIGINT")
    assert is_refuted(key, "CREATE TABLE t (k INT PRIMARY KEY)", "ALTER TABLE t DROP PRIMARY KEY")


def test_of_a_surrogate_key_the_index_behind_it_counts():
    assert is_refuted(LED, UNIQUE.format("INT"), "DROP INDEX u ON t", "CREATE UNIQUE INDEX w ON t (k)")
    assert not is_refuted(LED, UNIQUE.format("INT"), "CREATE UNIQUE INDEX w ON t (v)")


def test_of_a_table_whose_structure_is_not_known_the_statement_alone_tells():
    proofs = KeyProofs({T: KEY})
    proofs.note(index_changes("ALTER TABLE t MODIFY k INT", DATABASE), None, None)
    assert not proofs.is_refuted(T)
    proofs.note(index_changes("ALTER TABLE t DROP KEY u", DATABASE), None, None)
    assert proofs.is_refuted(T)


def test_at_another_point_nothing_is_known_and_a_table_that_is_read_whole_needs_no_key():
    proofs = KeyProofs({T: KEY, TableId(DATABASE, "", "whole"): None})
    for table in ("t", "whole"):
        proofs.note(index_changes(f"DROP INDEX u ON {table}", DATABASE), None, None)
    assert proofs.is_refuted(T)
    assert not proofs.is_refuted(TableId(DATABASE, "", "whole"))
    proofs.begin_at_another_point()
    assert not proofs.is_refuted(T)


@pytest.mark.parametrize(
    ("statement", "altered"),
    [
        ("use `shop`; ALTER TABLE t ADD UNIQUE u (k) /* xid=7 */", True),
        ("use `other`; CREATE UNIQUE INDEX u ON `shop`.`t` (k)", True),
        ("use `shop`; ALTER TABLE t MODIFY k INT NOT NULL", True),
        ("use `shop`; ALTER TABLE t RENAME COLUMN id TO k", True),
        ("use `shop`; ALTER TABLE t ADD COLUMN w INT, DROP INDEX i, MODIFY v INT UNIQUE", False),
        ("use `shop`; ALTER TABLE t DROP INDEX u, ADD UNIQUE u (k)", False),
        ("use `shop`; RENAME TABLE t TO _t_del, _t_gho TO t", True),
        ("use `shop`; ALTER TABLE _t_gho RENAME TO t", True),
        ("use `other`; ALTER TABLE s ADD UNIQUE u (k)", False),
        ("use `shop`; TRUNCATE TABLE t", False),
        ("BEGIN", False),
    ],
)
def test_a_planner_takes_another_position_if_a_key_may_have_been_made_behind_it(monkeypatch, statement, altered):
    monkeypatch.setattr(key_proofs.catalog, "head", lambda *_: Head("b.000001", 900, None))
    monkeypatch.setattr(key_proofs, "events_between", lambda *_: [{"Event_type": "Query", "Info": statement}])
    keys = {T: KEY, TableId("other", "", "s"): NoKey("it has none")}
    found = key_proofs.altered_since(None, from_variables({"version": "9.0.0"}), Head("b.000001", 4, None), keys)
    assert found == (frozenset({T}) if altered else frozenset())


@pytest.mark.parametrize("events", [None, []])
def test_a_log_that_can_not_be_looked_at_is_left_to_the_readers(monkeypatch, events):
    monkeypatch.setattr(key_proofs.catalog, "head", lambda *_: Head("b.000001", 900, None))
    monkeypatch.setattr(key_proofs, "events_between", lambda *_: events)
    assert not key_proofs.altered_since(None, from_variables({"version": "9.0.0"}), Head("b.000001", 4, None), {T: KEY})
