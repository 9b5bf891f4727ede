"""SQL conditions: three truths, fields of NULL, texts and numbers, CASE for topics."""

import numpy as np
import pytest
from tests.formats.golden_records import golden_records

from support.expression_rows import LINES
from tailrace.transforms.expressions.expression import Expression

(RECORDS,) = golden_records(LINES)  # c abc 5, u "1" 2^53+1, d, c nulls, a tombstone, u zeros


def outcomes(text):
    true, failed = Expression("sql", text).condition(RECORDS)
    return "".join(np.where(failed.mask, "!", np.where(true, "T", "F")).tolist())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value.op = 'c'", "TFFTFF"),
        ("value.op <> 'c'", "FTTFFT"),
        ("NOT value.op = 'c'", "FTTFFT"),
        ("value.op = 'c' AND value.after.amt >= 100", "TFFFFF"),
        ("value.after.amt > 100", "FTFFFF"),
        ("NOT (value.after.amt > 100)", "TFFFFT"),
        ("value.after.amt > 100 OR value.after.amt IS NULL", "FTTTTF"),
        ("value.after.name IS NULL", "FFTTTF"),
        ("value.after.name IS NOT NULL", "TTFFFT"),
        ("value.after IS NULL", "FFTFTF"),
        ("value.after.name IN ('abc', '')", "TFFFFT"),
        ("value.after.name NOT IN ('abc', '')", "FTFFFF"),
        ("value.after.name NOT IN ('abc', NULL)", "FFFFFF"),
        ("value.after.id IN (5, 0)", "TFFFFT"),
        ("value.after.id BETWEEN 1 AND 6", "TFFTFF"),
        ("value.after.name LIKE 'a%'", "TFFFFF"),
        ("value.after.name LIKE '_'", "FTFFFF"),
        ("value.after.name NOT LIKE 'a%'", "FTFFFT"),
        ("value.after.flag", "TFFFFF"),
        ("value.after.flag = TRUE", "TFFFFF"),
        ("value.after.flag IS NOT TRUE", "FTTTTT"),
        ("value.after.name <> value.before.name", "FFFFFT"),
        ("UPPER(value.after.name) = 'ABC'", "TFFFFF"),
        ("LENGTH(value.after.name) < 3", "FTFFFT"),
        ("COALESCE(value.after.name, 'x') = 'x'", "FFTTTF"),
        ("value.op || '-' || value.source.table = 'c-t'", "TFFTFF"),
        ("CASE WHEN value.op = 'c' THEN TRUE ELSE value.after.d > 1 END", "TTFTFF"),
        ("CASE value.op WHEN 'c' THEN TRUE END", "TFFTFF"),
        ("topic LIKE 'srv.%' AND key.id = 1", "TTTTTT"),
        ("header.h.value = 'hv'", "TFFFFF"),
        ("value.after.dflt = 'dd'", "TTFTFT"),
        ("value.source.schema = 'dbo'", "TTTTFT"),
        ("value.after.id NOT BETWEEN 1 AND 6", "FTFFFT"),
        ("IF(value.op = 'c', TRUE, FALSE)", "TFFTFF"),
        ("TRIM(value.after.name) = 'abc'", "TFFFFF"),
        ("NULL", "FFFFFF"),
        ("value.op = 1", "!!!!F!"),
        ("value.op", "!!!!F!"),
        ("value.nope = 1", "!!!!F!"),
        ("value.op = 'c' OR value.nope = 1", "T!!TF!"),
        ("value.op = 'x' AND value.nope = 1", "FFFFFF"),
    ],
)
def test_conditions(text, expected):
    assert outcomes(text) == expected


def test_topics_by_case():
    expression = Expression("sql", "CASE WHEN value.op = 'd' THEN topic || '.deleted' WHEN value.op = 'u' THEN 'updates' END")
    topics, failed = expression.topics(RECORDS)
    assert not failed.mask.any()
    assert [None if i < 0 else topics.names[i] for i in topics.places] == [
        None, "updates", "srv.db.t.deleted", None, None, "updates",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [("a%", "ab\nc", True), ("a_", "ab", True), ("a_", "abc", False), (r"a\%", "a%", True), (r"a\%", "ab", False), ("a.", "ab", False)],
)
def test_like_has_two_wildcards_and_an_escape(pattern, text, found):
    text, pattern = text.replace("'", "''"), pattern.replace("'", "''")
    true, _ = Expression("sql", f"'{text}' LIKE '{pattern}' ESCAPE '\\'").condition(RECORDS)
    assert true.tolist() == [found] * len(RECORDS)
