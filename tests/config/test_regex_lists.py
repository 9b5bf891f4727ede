"""Lists of regexes, and Java's dialect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.java_patterns import PatternError, compile_java, matches_any, split_list, split_regexes

NAMES = st.text("abcXYZ019_$-., ", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(st.lists(NAMES, min_size=1, max_size=6), st.sampled_from([",", " , ", ",\n  ", ",,"]))
def test_joined_with_escaped_commas_the_parts_come_back(parts, comma):
    assert split_regexes(comma.join(part.replace(",", "\\,") for part in parts)) == tuple(parts)


@given(NAMES)
def test_a_quoted_name_matches_itself_and_nothing_longer(name):
    pattern = compile_java(f"\\Q{name}\\E")
    assert pattern.fullmatch(name)
    assert pattern.fullmatch(name.swapcase())
    assert not pattern.fullmatch(name + "x")


def test_other_escapes_are_left_to_the_expression():
    assert split_regexes(r"a\.b,c\\,d") == (r"a\.b", r"c\\", "d")


def test_a_lone_backslash_at_the_end_is_refused():
    with pytest.raises(PatternError, match="backslash"):
        split_regexes("a,b\\")


def test_a_plain_list_loses_spaces_and_empty_items():
    assert split_list(" a, b ,,c,") == ("a", "b", "c")


@pytest.mark.parametrize(
    ("expression", "name", "matches"),
    [
        ("shop", "SHOP", True),
        ("shop", "shops", False),
        ("shop.orders", "shop_orders", True),
        ("shop\\.(a|b)", "shop.b", True),
        ("a|b", "b", True),
        ("a|ab", "ab", True),
        ("a*+a", "aaa", False),
        ("(?>a|ab)c", "abc", False),
        ("(?<x>a)\\k<x>", "aa", True),
        ("(?<=a)b", "b", False),
        ("(?!tmp_).*", "tmp_x", False),
        ("\\p{Alpha}+\\p{Digit}", "ab1", True),
        ("[\\p{Alnum}_]+", "a_1", True),
        ("[^a]", "b", True),
        ("\\w+", "é", False),
        ("\\x{41}", "a", True),
        ("\\u0041", "a", True),
        ("\\Qa.b\\E.*", "a.bcd", True),
        ("\\Qa.b", "axb", False),
        ("ü", "Ü", False),
        ("a\\z", "a", True),
    ],
)
def test_an_expression_matches_as_in_java(expression, name, matches):
    assert bool(compile_java(expression).fullmatch(name)) is matches


@pytest.mark.parametrize(
    "expression",
    [
        "[a-z&&[^b]]",
        "[a[bc]]",
        "\\p{IsLatin}",
        "\\P{Alpha}",
        "\\h+",
        "\\R",
        "(",
        "[a",
        "*",
        "a{2,1}",
        "\\Ga",
        "a(?i)b",
    ],
)
def test_what_has_no_counterpart_is_refused_and_quoted(expression):
    with pytest.raises(PatternError) as raised:
        compile_java(expression)
    assert repr(expression) in str(raised.value)


def test_no_pattern_matches_nothing():
    assert not matches_any((), "a")
