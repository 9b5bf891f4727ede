"""What can't be evaluated over columns is refused before anything runs, with its place and what to write instead."""

import pytest

from tailrace.config.values import NotYetError
from tailrace.transforms.expressions.expression import Expression
from tailrace.transforms.expressions.tokens import ExpressionError

GROOVY, JAVASCRIPT, SQL = "jsr223.groovy", "jsr223.graal.js", "sql"


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("value.op = 'c'", 10, "nothing can be assigned: == compares"),
        ("value.op == 'c' and true", 17, "write &&"),
        ("value.op === 'c'", 10, "write =="),
        ("value.after.id + 1 - 2 > 3", 20, "calculating is not supported"),
        ("1 + 2 == 3", 3, "write the sum"),
        ('value.op == "x$topic"', 15, "write 'text' + value"),
        ("headers.h.value == 'x'", 1, "headers is unknown: write header"),
        ("record.op == 'x'", 1, "there are value, key, topic"),
        ("value.source.schema == 'dbo'", 14, "not the field but a property of the Struct: write .get('schema')"),
        ("value.op.substring(1) == 'x'", 10, "methods are get, field, matches"),
        ("value.op.matches(value.op)", 18, "must be a constant, as in /a.*/"),
        ("value.op ==~ /(/", 14, "not a regular expression"),
        ("value.op ==~ /c/ == true", 18, "parentheses"),
        ("value.op in 'c'", 13, "a list or a range of whole numbers"),
        ("[1] == [1]", 1, "a list can only stand behind in"),
        ("valueSchema.version == 1", 13, "a schema has only name and field"),
        ("value.op == 'c", 13, "no closing '"),
        ("value.op == 010", 13, "leave out the zero"),
        ("value.op ==", 12, "a value is missing"),
        ("(value.op == 'c'", 17, ") is missing"),
        ("def x = 1; x == 1", 1, "declarations and loops are not supported"),
        ("value.op == 'c' value.op == 'd'", 17, "an operator is missing"),
        ("if (value.op == 'c') { true", 28, "} is missing"),
        ("value.op #", 10, "an operator is missing"),
        ("", 1, "empty"),
    ],
)
def test_groovy_that_is_not_supported(text, column, words):
    with pytest.raises(ExpressionError) as refused:
        Expression(GROOVY, text)
    assert words in str(refused.value)
    assert f"(column {column}, at" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("value.get('op') == 'd'", 7, "write value.name"),
        ("value.op in ['c']", 10, "['a', 'b'].includes(value)"),
        ("value.op.matches('c')", 10, "/^…$/.test(text)"),
        ("return value.op == 'c'", 1, "write the value alone"),
        ("`${value.op}` == 'c'", 2, "write 'text' + value"),
        ("/c/i.test(value.op)", 4, "flags of regular expressions"),
        ("/c/ == value.op", 1, "can only be used as /…/.test(text)"),
        ("typeof value.op == 'string'", 1, "types can't be asked for"),
        ("valueSchema.name == 'x'", 13, "a schema has only name() and field"),
        ("value.op ?? 'x' || 'y'", 17, "needs parentheses"),
        ("x => x", 1, "x is unknown"),
        ("value.op ?: 'c'", 11, "a value was expected"),
    ],
)
def test_javascript_that_is_not_supported(text, column, words):
    with pytest.raises(ExpressionError) as refused:
        Expression(JAVASCRIPT, text)
    assert words in str(refused.value)
    assert f"(column {column}, at" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("value.op = 'c' AND", "not SQL"),
        ("op = 'c'", "op: a field's path begins with one of value, key, topic, header"),
        ("value.after.amount + 1 > 2", "value.after.amount + 1: not supported in a condition"),
        ("value.op = 'c' ORDER BY 1", "one condition is wanted"),
        ("value.op IN (SELECT 1)", "IN takes a list of values"),
        ("value.op LIKE value.op", "LIKE takes a constant text"),
        ("TRIM(BOTH 'x' FROM value.op) = 'c'", "not supported in a condition"),
        ("SUM(value.after.id) > 1", "not supported in a condition"),
        ("value.op = 'c', 1 = 1", "one condition is wanted"),
    ],
)
def test_sql_that_is_not_supported(text, words):
    with pytest.raises(ExpressionError) as refused:
        Expression(SQL, text)
    assert words in str(refused.value)


def test_a_place_in_several_lines_has_its_line():
    with pytest.raises(ExpressionError, match=r"\(line 2, column 3, at 'nope"):
        Expression(GROOVY, "value.op == 'c' &&\n  nope == 1")


@pytest.mark.parametrize("language", ["jsr223.jexl", "wasm.chicory", "groovy", ""])
def test_other_languages_are_refused_by_name(language):
    with pytest.raises(NotYetError, match=r"write the expression in one of jsr223\.groovy, jsr223\.graal\.js, sql"):
        Expression(language, "true")
