"""Shortcuts answer as SQLite does, byte by byte: random tables, conditions and changes; and they stand aside where they must."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tailrace_standins.db2 import bulk
from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.drda.writing import Row
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.session import EncodedRows, Isolation, Rows, SqlError
from tailrace_standins.db2.shortcuts.switch import Shortcuts

pa = pytest.importorskip("pyarrow")
KEYS = {
    "INTEGER": lambda chance: chance.randint(-20, 20),
    "BIGINT": lambda chance: chance.choice([-(1 << 62), 0, 7, 1 << 62, chance.randint(0, 9)]),
    "VARCHAR(8)": lambda chance: "".join(chance.choice("ab Zž") for _ in range(chance.randint(0, 3))),
    "CHAR(3)": lambda chance: chance.choice(["a", "b ", "ab", "abc", "", "Z"]),
    "VARCHAR(4) FOR BIT DATA": lambda chance: bytes(chance.choice([0, 1, 255]) for _ in range(chance.randint(0, 3))),
    "DECIMAL(7,2)": lambda chance: Decimal(chance.randint(-300, 300)) / 100,
    "TIMESTAMP": lambda chance: f"2026-0{chance.randint(1, 9)}-0{chance.randint(1, 9)} 01:02:03.000000",
}
COLUMNS = """N VARCHAR(20), D DECIMAL(9,3), E DECFLOAT, F DOUBLE, R REAL, S SMALLINT NOT NULL DEFAULT 3, B VARBINARY(9), G VARGRAPHIC(9),
 DA DATE, TI TIME, TS TIMESTAMP(12), C CHAR(5) FOR BIT DATA, O BOOLEAN"""
LISTS = ["*", "N, {k}", "{k}, CAST(N AS VARCHAR(40) FOR BIT DATA), D, S", "t.N || '!', t.D * 2, LENGTH(B), t.{k} AS X", "D, E, O, TS"]


def value(chance: random.Random) -> list[Any]:
    def maybe(given: Any) -> Any:
        return None if chance.random() < 0.2 else given

    return [
        maybe(chance.choice(["", "x", "žluť", "it's"])), maybe(Decimal(chance.randint(-10**8, 10**8)) / 1000), maybe(Decimal("-1.5E10")),
        maybe(chance.random()), maybe(0.5), chance.randint(-9, 9), maybe(b"\0\xff"), maybe("žx"), maybe("2026-02-03"), maybe("04:05:06"),
        maybe("2026-02-03 04:05:06.123456789012"), maybe(b"ab"), maybe(chance.random() < 0.5),
    ]  # fmt: skip


class Both:
    """An engine whose answers are taken twice: as encoded rows where it has them, and by SQLite."""

    def __init__(self) -> None:
        self.engine = Engine(shortcuts=Shortcuts.ALWAYS)

    def answered(self, session: EngineSession, sql: str, *parameters: Any, isolation: Isolation = Isolation.CURSOR_STABILITY) -> bool:
        """Compare both answers; whether there were encoded rows."""
        prepared = session.prepare(sql)
        before = self.engine.shortcuts.answered
        fast, slow = session.execute(prepared, parameters, isolation), session._execute(prepared, parameters, isolation, encoded=False)
        assert isinstance(fast, Rows)
        assert isinstance(slow, Rows)
        writer = Row(prepared.columns, in_row=0)
        expected = b"".join(writer.written(row) for piece in slow.pieces for row in piece)
        assert b"".join(_bytes(writer, piece) for piece in fast.pieces) == expected, sql
        return self.engine.shortcuts.answered > before


def _bytes(writer: Row, piece: Any) -> bytes:
    if isinstance(piece, EncodedRows):
        return piece.data[piece.begins[piece.first] : piece.begins[piece.last]]
    return b"".join(writer.written(row) for row in piece)


@pytest.fixture
def both() -> Iterator[Both]:
    made = Both()
    yield made
    made.engine.close()


def condition(chance: random.Random, keys: dict[str, Any], parameters: list[Any]) -> str:
    """A random condition on key columns; its constants go to the parameters."""
    kind = chance.random()
    if kind < 0.3:
        word = chance.choice(["AND", "AND", "OR"])
        return f"({condition(chance, keys, parameters)} {word} {condition(chance, keys, parameters)})"
    if kind < 0.4:
        return f"NOT {condition(chance, keys, parameters)}"
    if kind < 0.5 and len(keys) > 1:
        parameters += [make(chance) for make in keys.values()]
        return f"({', '.join(keys)}) {chance.choice(['>', '<=', '=', '<>'])} ({', '.join('?' * len(keys))})"
    name = chance.choice(list(keys))
    parameters.append(keys[name](chance))
    if kind < 0.6:
        parameters.append(keys[name](chance))
        return f"{name} {chance.choice(['', 'NOT '])}BETWEEN ? AND ?"
    sign = chance.choice(["<", "<=", ">", ">=", "=", "<>"])
    if isinstance(parameters[-1], int) and chance.random() < 0.5:
        number = parameters.pop()
        return f"{name} {sign} CAST({number} AS {'INTEGER' if abs(number) < 1 << 31 and chance.random() < 0.5 else 'BIGINT'})"
    return chance.choice([f"{name} {sign} ?", f"t.{name} {sign} ?", f"? {sign} {name}"])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_answers_are_those_of_sqlite(both: Both, seed: int) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    kinds = chance.sample(sorted(KEYS), chance.randint(1, 3))
    keys = {f"K{place}": KEYS[kind] for place, kind in enumerate(kinds)}
    named = ", ".join(f"K{place} {kind} NOT NULL" for place, kind in enumerate(kinds))
    session, other = both.engine.session(), both.engine.session()
    session.run("SET CURRENT LOCK TIMEOUT 0")
    other.run("SET CURRENT LOCK TIMEOUT 0")
    session.run(f"CREATE TABLE S.T ({named}, {COLUMNS}, PRIMARY KEY ({', '.join(keys)}))")
    session.commit()
    marks = ", ".join("?" * (len(keys) + 13))
    answered = 0
    for _ in range(80):
        act = chance.random()
        try:
            if act < 0.25:
                session.run(f"INSERT INTO S.T VALUES ({marks})", *(make(chance) for make in keys.values()), *value(chance))
            elif act < 0.3:
                session.run("UPDATE S.T SET N = 'changed' WHERE S > ?", chance.randint(-9, 9))
            elif act < 0.33:
                session.run("DELETE FROM S.T WHERE S = ?", chance.randint(-9, 9))
        except SqlError as error:  # a key that is there, a row that the other one has changed
            if error.code not in {-803, -911}:
                raise
        (session.rollback if chance.random() < 0.2 else session.commit)()
        if chance.random() < 0.2:
            other.run("UPDATE S.T SET D = 0 WHERE S < ?", chance.randint(-9, 9))
        parameters: list[Any] = []
        where = "" if chance.random() < 0.2 else f" WHERE {condition(chance, keys, parameters)}"
        ordered = f" ORDER BY {', '.join(keys)}"
        fetch = chance.choice(["", "", " FETCH FIRST 1500 ROWS ONLY"])
        level = chance.choice(["", " WITH UR", " WITH CS", " SKIP LOCKED DATA"])
        chosen = chance.choice(LISTS).replace("{k}", chance.choice(list(keys)))
        reader = chance.choice([session, other])
        answered += both.answered(reader, f"SELECT {chosen} FROM S.T AS t{where}{ordered}{fetch}{level}", *parameters)
        if chance.random() < 0.7:
            other.rollback()
    assert answered > 20


@pytest.fixture
def changes(both: Both) -> Iterator[Replication]:
    replication = Replication(both.engine)
    session = both.engine.session()
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20), AMT DECIMAL(10,2))")
    session.run("CALL ASNCDC.ADDTABLE('S', 'T')")
    session.commit()
    replication.capture.reinit()
    yield replication
    replication.close()


TAILRACE = """SELECT c.IBMSNAP_COMMITSEQ, c.IBMSNAP_INTENTSEQ, c.IBMSNAP_OPERATION, c.ID, CAST(c.NAME AS VARCHAR(20) FOR BIT DATA) FROM
 "ASNCDC"."CDC_S_T" AS c WHERE {} ORDER BY c.IBMSNAP_COMMITSEQ, c.IBMSNAP_INTENTSEQ FOR READ ONLY"""
WINDOWS = ("c.IBMSNAP_COMMITSEQ > ? AND c.IBMSNAP_COMMITSEQ <= ?",
           "c.IBMSNAP_COMMITSEQ >= ? AND c.IBMSNAP_COMMITSEQ <= ? AND (c.IBMSNAP_COMMITSEQ > ? OR c.IBMSNAP_INTENTSEQ > ?)")  # fmt: skip
PAIRED = """SELECT CASE WHEN IBMSNAP_OPERATION = 'D' AND (LEAD(cdc.IBMSNAP_OPERATION,1,'X') OVER (PARTITION BY cdc.IBMSNAP_COMMITSEQ ORDER BY
 cdc.IBMSNAP_INTENTSEQ)) ='I' THEN 3 WHEN IBMSNAP_OPERATION = 'I' AND (LAG(cdc.IBMSNAP_OPERATION,1,'X') OVER (PARTITION BY
 cdc.IBMSNAP_COMMITSEQ ORDER BY cdc.IBMSNAP_INTENTSEQ)) ='D' THEN 4 WHEN IBMSNAP_OPERATION = 'D' THEN 1 WHEN IBMSNAP_OPERATION = 'I' THEN 2
 END OPCODE,cdc.* FROM ASNCDC.CDC_S_T cdc WHERE   IBMSNAP_COMMITSEQ >= ? AND IBMSNAP_COMMITSEQ <= ? order by IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"""


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_change_tables_grow_under_their_readers(both: Both, changes: Replication, seed: int) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    session, reader = both.engine.session(), both.engine.session()
    next_id = 0
    for _ in range(40):
        for _ in range(chance.randint(0, 3)):
            for _ in range(chance.randint(1, 3)):
                next_id += 1
                session.run("INSERT INTO S.T VALUES (?, ?, ?)", next_id, "name", Decimal("1.25"))
                session.run("UPDATE S.T SET NAME = NAME || '!' WHERE ID = ?", chance.randint(1, next_id)) if chance.random() < 0.5 else None
            session.commit()
        changes.capture.step() if chance.random() < 0.8 else changes.capture.capture()
        if chance.random() < 0.05:
            changes.capture.prune("9999-01-01 00:00:00")
        rows = reader.run("SELECT IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ FROM ASNCDC.CDC_S_T") or [(b"\0" * 16, b"\0" * 16)]
        low, at = chance.choice(rows)
        high = max(low, chance.choice(rows)[0])
        assert both.answered(reader, TAILRACE.format(WINDOWS[0]), low, high)
        assert both.answered(reader, TAILRACE.format(WINDOWS[1]), low, high, low, at)
        assert both.answered(reader, PAIRED, low, high)
        reader.commit()


def test_what_is_not_recognised(both: Both) -> None:
    session = both.engine.session()
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, N VARCHAR(20), C CLOB(100))")
    session.run("INSERT INTO S.T VALUES (1, 'a', 'large'), (2, 'b', NULL)")
    session.commit()
    assert both.answered(session, "SELECT ID FROM S.T")
    for sql in (
        "SELECT ID FROM S.T WHERE N = 'a'", "SELECT ID FROM S.T ORDER BY ID DESC", "SELECT DISTINCT N FROM S.T", "SELECT COUNT(*) FROM S.T",
        "SELECT ID FROM S.T ORDER BY N", "SELECT N AS ID FROM S.T ORDER BY ID", "SELECT * FROM S.T ORDER BY ID", "SELECT a.ID FROM S.T a, S.T b",
        "SELECT ID, CURRENT TIMESTAMP FROM S.T", "SELECT ID FROM S.T WHERE ID > 1.5", "SELECT ID FROM S.T WHERE ID > CAST(1.5 AS INTEGER)", "SELECT ID FROM S.T WHERE ID + 0 > 1",
        "SELECT ID FROM S.T ORDER BY ID OFFSET 1 ROW", "SELECT ID, ROW_NUMBER() OVER (ORDER BY ID) FROM S.T WHERE ID > 1",
        "SELECT ID FROM S.T ORDER BY ID FETCH FIRST 1 ROW ONLY", "SELECT ID, (SELECT MAX(ID) FROM S.T) FROM S.T", "SELECT ID FROM S.T GROUP BY ID",
    ):  # fmt: skip
        if "CURRENT" in sql:
            assert both.engine.shortcuts.find(session, session.prepare(sql), _read_of(session, sql)) is None
        else:
            assert not both.answered(session, sql), sql


def _read_of(session: EngineSession, sql: str) -> Any:
    from tailrace_standins.db2.engine.reads import Read

    return Read(session.prepare(sql).plan, {}, Isolation.CURSOR_STABILITY)  # type: ignore[arg-type]


def test_uncommitted_changes_are_for_sqlite(both: Both) -> None:
    session, other = both.engine.session(), both.engine.session()
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    session.run("INSERT INTO S.T VALUES (1)")
    session.commit()
    other.run("INSERT INTO S.T VALUES (2)")
    assert not both.answered(other, "SELECT ID FROM S.T")
    assert not both.answered(session, "SELECT ID FROM S.T WITH UR")
    assert both.answered(session, "SELECT ID FROM S.T")
    other.commit()
    assert both.answered(session, "SELECT ID FROM S.T WITH UR")


def test_small_tables_and_first_looks_and_restless_tables_are_for_sqlite(both: Both) -> None:
    both.engine.close()
    both.engine = Engine(shortcuts=Shortcuts.ON)
    session = both.engine.session()
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
    session.commit()
    bulk.load(both.engine, ("S", "T"), pa.table({"ID": range(100)}))
    assert not both.answered(session, "SELECT ID FROM S.T")
    bulk.load(both.engine, ("S", "T"), pa.table({"ID": range(100, 20_000)}))
    part = "SELECT ID FROM S.T WHERE ID > 10 ORDER BY ID FETCH FIRST 2000 ROWS ONLY"
    assert [both.answered(session, part) for _ in range(3)] == [False, True, True]
    session.run("INSERT INTO S.T VALUES (20001, 1)")
    session.commit()
    assert both.answered(session, part)  # it was added
    for change in ("UPDATE S.T SET N = 1 WHERE ID = 5", "DELETE FROM S.T WHERE ID = 6"):
        session.run(change)
        session.commit()
        assert not both.answered(session, part)
    assert both.answered(session, part)
