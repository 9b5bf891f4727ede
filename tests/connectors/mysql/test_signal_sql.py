"""What signals bring into MySQL's statements: one expression, or one SELECT, whatever is in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connectors.mysql.signal_sql import MYSQL
from tailrace.errors import UnsupportedError

HARMLESS = [
    "id > 5",
    "v = 'it''s; -- no /* comment */ #' AND (a OR (b))",
    r"v = 'a\'; DROP TABLE t; -- '",
    r"""v = "\"; (((" AND `od;d``-- (` = 1""",
    "v IN (SELECT v FROM other WHERE f(1, 2) IN (3))",
    "v = _utf8mb4'ä' COLLATE utf8mb4_bin AND b = x'4D' OR n = N'ü'",
    "größe = 1 AND t.`into` = 'INTO' AND j->>'$.a' = 5 - -3 AND @@version LIKE '9%'",
    "d = {d '2026-01-01'} AND v REGEXP 'a?b' AND updated_at > 1 AND into_2 = 1",
    "d > '2026-01-01'\n\tAND 1",
]
HOSTILE = [
    "1=0); RESET BINARY LOGS AND GTIDS; SELECT (1",
    "1=1) UNION SELECT * FROM secrets WHERE (1=1",
    ")(",
    "1) -- ",
    "1 -- all that follows",
    "5--3",
    "1 # all that follows",
    "1 /* all that follows",
    "1 /*! INTO OUTFILE '/tmp/x' */",
    "/*+ SET_VAR(sql_mode='ANSI_QUOTES') */ 1",
    "1; DROP TABLE t",
    "(1",
    "1)",
    "'unclosed",
    '"unclosed',
    "`unclosed",
    "'a' 'b''",
    r"v = 'a\' ) OR (1=1",
    r"`a\` ) OR (1=1",
    r"\' ) OR (1=1",
    "id = ?",
    "(SELECT 1 INTO OUTFILE '/tmp/x')",
    "(SELECT 1 into @a)",
    "(SELECT 1 FROM t WHERE n = 1.5INTO @a)",
    "id IN (SELECT id FROM t FOR UPDATE)",
    "id IN (SELECT id FROM t FOR\n SHARE)",
    "id IN (SELECT id FROM t LOCK IN SHARE MODE)",
    "(DELETE FROM t)",
    "1\x00) OR (1",
    "'\x00'",
    "1\x1b",
    "1 " * 300_000,
]


@pytest.mark.parametrize("text", HARMLESS)
def test_an_expression_is_taken_as_it_is(text):
    assert MYSQL.condition(text) == text


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:30] for text in HOSTILE])
def test_more_than_an_expression_is_refused(text):
    with pytest.raises(UnsupportedError, match="additional-conditions are refused"):
        MYSQL.condition(text)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("SELECT * FROM d.t WHERE id > 100", None),
        (" select * from t ; ", "select * from t "),
        ("WITH big AS (SELECT * FROM t WHERE n > 5) SELECT * FROM big ORDER BY id LIMIT 5", None),
        ("(SELECT * FROM a) UNION ALL (SELECT * FROM b)", None),
        ("SELECT REPLACE(v, ';', '--') AS v, INSERT(v, 1, 1, 'x') FROM t", None),
    ],
)
def test_one_select_is_taken(text, taken):
    assert MYSQL.statement(text) == (taken or text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "DROP TABLE t",
        "id > 5",
        "SELECT 1; DROP TABLE t",
        "SELECT 1;;",
        "SELECT * FROM t) AS x; DROP TABLE t; SELECT * FROM (SELECT 1",
        "SELECT * FROM t INTO OUTFILE '/tmp/x'",
        "SELECT * INTO DUMPFILE '/tmp/x' FROM t",
        "SELECT * FROM t FOR UPDATE",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "WITH x AS (SELECT 1) UPDATE t SET a = 1",
        "WITH x AS (TABLE t) TABLE x",
        "CALL write_it()",
        "SELECT 1 -- ",
        "TABLE t",
    ],
)
def test_more_than_a_select_is_refused(text):
    with pytest.raises(UnsupportedError, match="additional-conditions are refused"):
        MYSQL.statement(text)


def lexed(text):
    """What MySQL's scanner makes of a text, character by character: how deep each sign stands, and the end's state.

    Written from the manual, and slow: it knows nothing of what is refused.
    """
    depth, lowest, quote, at = 0, 0, "", 0
    ends, hidden = False, False
    while at < len(text):
        sign = text[at]
        if quote:
            if sign == "\\" and quote != "`":
                at += 1
            elif sign == quote:
                if text[at + 1 : at + 2] == quote:
                    at += 1
                else:
                    quote = ""
        elif sign in "'\"`":
            quote = sign
        elif sign == "#" or text.startswith(("/*", "--"), at):
            hidden = True
        else:
            depth += (sign == "(") - (sign == ")")
            lowest = min(lowest, depth)
            ends |= sign == ";"
        at += 1
    return depth == lowest == 0 and not (quote or ends or hidden)


PIECES = st.sampled_from(["'", '"', "`", "\\", "(", ")", ";", "--", "#", "/*", "*/", "''", "a", " ", "1", "ä", "\n", "-", "/", "*"])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_what_is_taken_stays_within_its_parentheses(text):
    try:
        MYSQL.condition(text)
    except UnsupportedError:
        return
    assert lexed(text)


@given(st.lists(PIECES.filter(lambda piece: piece != "\\"), max_size=14).map("".join))
def test_nothing_is_refused_but_what_could_leave_them(text):
    if lexed(text):
        assert MYSQL.condition(text) == text
