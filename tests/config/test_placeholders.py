"""Where a placeholder begins and ends in a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.config.placeholders import fill, is_placeholder, left_as_it_is, with_replaced

CONNECTS = re.compile(r"\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}")
"""The expression that Connect's ConfigTransformer has."""
LARGE = 1 << 20


def parts(text):
    found = []
    with_replaced(text, lambda match: found.append(match.group("provider", "path", "key")) or "")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${file:/a:b}", [("file", "/a", "b")]),
        ("${env:A}${env:B}", [("env", None, "A"), ("env", None, "B")]),
        ("${file:C:/a:b}", [("file", "C", "/a:b")]),
        ("${a ${env:B}", [("a ${env", None, "B")]),
        ("${a} ${env:B}", [("env", None, "B")]),
        ("${:::}", [("", "", ":")]),
        ("${env:A", []),
    ],
)
def test_the_provider_ends_at_the_first_colon_and_the_path_at_the_second(text, expected):
    assert parts(text) == expected


@given(st.lists(st.sampled_from(["$", "{", "${", "}", ":", "a", "\n", " "]), max_size=24).map("".join))
def test_placeholders_are_those_that_connect_finds(text):
    assert parts(text) == [match.group(1, 3, 4) for match in CONNECTS.finditer(text)]
    assert with_replaced(text, lambda _: "x") == CONNECTS.sub("x", text)


@pytest.mark.parametrize("piece", ["${", "${env", "${a:", "${a:b:", "}${", ":", "${:::", "$", "{"])
@pytest.mark.parametrize("end", ["", "}"])
def test_a_megabyte_of_beginnings_is_looked_through_once(piece, end):
    text = "${" + piece * (LARGE // len(piece)) + end
    assert len(with_replaced(text, lambda _: "")) <= len(text)
    assert left_as_it_is(text) in {True, False}
    assert not is_placeholder(text)


def test_a_megabyte_that_nobody_fills_stays_as_it_is():
    text = "${a:" * (LARGE // 4)
    assert fill(text) == text
    assert not left_as_it_is(text)
