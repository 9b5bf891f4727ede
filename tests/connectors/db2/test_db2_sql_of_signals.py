"""SQL of signals in Db2's statements: one expression, or one SELECT, whatever it contains."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connectors.db2.signal_sql import DB2_SQL
from tailrace.errors import UnsupportedError

HARMLESS: Final = [
    "ID > 5",
    "V = 'it''s; -- no /* comment */' AND (A = 1 OR (B = 2))",
    r"V = 'ends with \' AND " + '"it""s (" = 2',
    "V IN (SELECT V FROM S.OTHER WHERE S.F(1, 2) IN (3))",
    "GRÖSSE = 1.5 AND \"INTO\" IN (1) AND #T.$X = X'1F' AND B = BX'00' AND G = GX'0041' AND U = U&'\\0041'",
    "A CONCAT B || C = 'x' AND A ¬= B AND NOT A ^= 1 AND D > CURRENT DATE - 3 DAYS",
    "VALUE(A, 1) = 1 AND NEXT = 2 AND OLD = NEW",
]
HOSTILE: Final = [
    "1=0); DROP TABLE T; SELECT (1",
    "1=1) UNION SELECT * FROM SECRETS WHERE (1=1",
    ")(",
    "1 = 1 -- all that follows",
    "A = 5--3",
    "1 = 1 /* /* nested */ still",
    "(1 = 1",
    "1 = 1)",
    "V = 'unclosed",
    'V = "unclosed',
    "V = 'a'' ) OR (1=1",
    "ID = ?",
    "ID = :HOST",
    "ID = A[1]",
    "ID IN (SELECT 1 INTO X)",
    "ID IN (SELECT 1INTO X)",
    "ID IN (SELECT ID FROM FINAL TABLE (DELETE FROM T))",
    "ID IN (SELECT ID FROM OLD TABLE (T))",
    "ID IN (SELECT ID FROM new\nTABLE (T))",
    "ID = NEXT VALUE\nFOR S.NUMBERS",
    "ID = PREVIOUS VALUE FOR S.NUMBERS",
    "ID = S.NUMBERS.NEXTVAL",
    "ID IN (SELECT ID FROM T WITH RR)",
    "ID IN (SELECT ID FROM T WITH RS USE AND KEEP EXCLUSIVE LOCKS)",
    "ID IN (SELECT ID FROM T with ur)",
    "ASNCDC.ASNCDCSERVICES('stop', 'asncdc') IS NOT NULL",
    '"ASNCDC"."ASNCDCSERVICES"(\'stop\', \'asncdc\') IS NOT NULL',
    '"F" \n (1) = 1',
    "DB2XML.HTTPGETBLOB('http://x', '') IS NULL",
    "MQSEND('x') = '1'",
    "1 = 1\x00",
    "ID = 1\u200b",
    "ID = 1\u3000",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_an_expression_is_taken_as_it_is(text: str) -> None:
    assert DB2_SQL.condition(text) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_more_than_an_expression_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedError, match="additional-conditions are refused"):
        DB2_SQL.condition(text)


def test_one_select_is_taken() -> None:
    assert DB2_SQL.statement('SELECT * FROM "S"."T" WHERE ID > 5;\n') == 'SELECT * FROM "S"."T" WHERE ID > 5'


@pytest.mark.parametrize(
    "text",
    [
        "DROP TABLE T",
        "SELECT 1 AS A FROM T; DROP TABLE T",
        "SELECT * INTO X FROM T",
        "SELECT * FROM T) AS X, (SELECT 1 AS A FROM T",
        "CALL S.P()",
        "VALUES ASNCDC.ASNCDCSERVICES('stop', 'asncdc')",
        "WITH X AS (SELECT * FROM NEW TABLE (INSERT INTO T VALUES 1)) SELECT * FROM X",
        "SELECT * FROM T FOR UPDATE",
        "SELECT * FROM T WITH UR",
        "LOCK TABLE T IN EXCLUSIVE MODE",
    ],
)
def test_more_than_a_select_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedError, match="additional-conditions are refused"):
        DB2_SQL.statement(text)


def lexed(text: str) -> bool:
    """Whether Db2's scanner sees one piece that stays within parentheses; from the manual, and slow."""
    depth, lowest, close, at, leaves = 0, 0, "", 0, False
    while at < len(text):
        sign = text[at]
        if close:
            if sign == close:
                if text[at + 1 : at + 2] == close:
                    at += 1
                else:
                    close = ""
                    leaves |= sign == '"' and text[at + 1 :].lstrip(" \n").startswith("(")
        elif sign in "'\"":
            close = sign
        else:
            leaves |= sign == ";" or text.startswith(("/*", "--"), at)
            depth += (sign == "(") - (sign == ")")
            lowest = min(lowest, depth)
        at += 1
    return depth == lowest == 0 and not (close or leaves)


PIECES: Final = st.sampled_from(["'", '"', "(", ")", ";", "--", "/*", "*/", "''", "a", " ", "1", "ä", "\n", "-", "/", "X", "U&"])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_what_is_taken_stays_within_its_parentheses_and_nothing_else_is_refused(text: str) -> None:
    try:
        DB2_SQL.condition(text)
    except UnsupportedError:
        assert not lexed(text)
        return
    assert lexed(text)
