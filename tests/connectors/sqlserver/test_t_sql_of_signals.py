"""SQL of signals in SQL Server's statements: one expression, or one SELECT, whatever it contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.errors import UnsupportedError

HARMLESS = [
    "id > 5",
    "v = N'it''s; -- no /* comment */' AND (a = 1 OR (b = 2))",
    r"v = 'ends with \' AND [od;d]]-- (] = 1 AND " + '"it""s (" = 2',
    "v IN (SELECT v FROM dbo.other WITH (NOLOCK) WHERE dbo.f(1, 2) IN (3))",
    "größe = $1.5 AND @@SERVERNAME LIKE N'a%' AND [into] = 1 AND #t.[update] = 0x1F",
    "geography::Point(1, 2, 4326).STDistance(p) < 5",
    "value = 1 AND next = 2",
]
HOSTILE = [
    "1=0); DROP TABLE t; SELECT (1",
    "1=1) DROP TABLE t SELECT * FROM x WHERE (1=1",
    "1=1) UNION SELECT * FROM secrets WHERE (1=1",
    ")(",
    "1 = 1 -- all that follows",
    "a = 5--3",
    "1 = 1 /* /* nested */ still",
    "1 = 1; EXEC xp_cmdshell 'dir'",
    "(1 = 1",
    "1 = 1)",
    "v = 'unclosed",
    'v = "unclosed',
    "v = [unclosed",
    "v = [a]] ) OR (1=1",
    "v = 'a'' ) OR (1=1",
    "id = ?",
    "id IN {call dbo.write_it}",
    "id IN (SELECT 1 INTO x)",
    "id IN (SELECT 1INTO x)",
    "id IN (SELECT 0x1FINTO x)",
    "id IN (SELECT * FROM OPENQUERY(other, 'EXEC dbo.write_it'))",
    "id IN (SELECT * FROM OPENROWSET('SQLNCLI', 'Server=.', 'EXEC dbo.write_it'))",
    "id IN (SELECT * FROM OPENDATASOURCE('SQLNCLI', 'Server=.').a.dbo.t)",
    "id IN (SELECT id FROM (DELETE FROM t OUTPUT deleted.id) AS d)",
    "id = NEXT VALUE\nFOR dbo.numbers",
    "id IN (SELECT id FROM t WITH (TABLOCKX, HOLDLOCK))",
    "id IN (SELECT id FROM t WITH (UPDLOCK))",
    "id IN (SELECT id FROM t WITH (TABLOCK))",
    "id IN (SELECT id FROM t WITH (ROWLOCK, HOLDLOCK))",
    "id IN (SELECT id FROM t (serializable))",
    "id IN (SELECT id FROM t WITH (RepeatableRead))",
    "1 = 1\x00",
    "id = 1\u200b",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_an_expression_is_taken_as_it_is(text):
    assert T_SQL.condition(text) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_more_than_an_expression_is_refused(text):
    with pytest.raises(UnsupportedError, match="additional-conditions are refused"):
        T_SQL.condition(text)


def test_one_select_is_taken():
    assert T_SQL.statement("SELECT * FROM [dbo].[t] WHERE id > 5;\n") == "SELECT * FROM [dbo].[t] WHERE id > 5"


@pytest.mark.parametrize(
    "text",
    [
        "DROP TABLE t",
        "SELECT 1 AS a; DROP TABLE t",
        "SELECT * INTO x FROM t",
        "SELECT * FROM t) AS x DROP TABLE t SELECT * FROM (SELECT 1 AS a",
        "EXEC dbo.write_it",
        "SELECT 1 AS a EXEC dbo.write_it",
        "WITH x AS (SELECT * FROM t) DELETE FROM x",
        "BEGIN TRANSACTION",
    ],
)
def test_more_than_a_select_is_refused(text):
    with pytest.raises(UnsupportedError, match="additional-conditions are refused"):
        T_SQL.statement(text)


def lexed(text):
    """Whether SQL Server's scanner sees one piece that stays within parentheses; from the manual, and slow."""
    depth, lowest, close, at, leaves = 0, 0, "", 0, False
    while at < len(text):
        sign = text[at]
        if close:
            if sign == close:
                if text[at + 1 : at + 2] == close:
                    at += 1
                else:
                    close = ""
        elif sign in "'\"[":
            close = "]" if sign == "[" else sign
        else:
            leaves |= sign == ";" or text.startswith(("/*", "--"), at)
            depth += (sign == "(") - (sign == ")")
            lowest = min(lowest, depth)
        at += 1
    return depth == lowest == 0 and not (close or leaves)


PIECES = st.sampled_from(["'", '"', "[", "]", "]]", "\\", "(", ")", ";", "--", "/*", "*/", "''", "a", " ", "1", "ä", "\n", "-", "/", "N"])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_what_is_taken_stays_within_its_parentheses(text):
    try:
        T_SQL.condition(text)
    except UnsupportedError:
        return
    assert lexed(text)


@given(st.lists(PIECES.filter(lambda piece: piece not in {"\\", "]", "]]"}), max_size=14).map("".join))
def test_nothing_is_refused_but_what_could_leave_them(text):
    if lexed(text):
        assert T_SQL.condition(text) == text
