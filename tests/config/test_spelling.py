"""Which known name a name is most like: as difflib says, only sooner."""

import difflib
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tailrace.config.spelling import ALIKE, SIMILAR, nearest, ratio

KNOWN = tuple((Path(__file__).parent / "debezium_3_6_mysql_names.txt").read_text().split())
LETTERS = st.sampled_from(list("aetrs.-_0X\u0161\u200b\u4e2d"))
LARGE = 1 << 20


def plain(name):
    return re.sub(r"[\W_]+", "", name).lower()


def by_difflib(name, known, cutoff):
    spelled = {}
    for each in known:
        spelled.setdefault(plain(each), each)
    found = difflib.get_close_matches(plain(name), list(spelled), n=1, cutoff=cutoff)
    return spelled[found[0]] if found else None


@st.composite
def misspelt(draw):
    name = draw(st.sampled_from(KNOWN))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(name)))
        name = name[:at] + draw(st.one_of(st.just(""), LETTERS)) + name[at + draw(st.integers(0, 2)) :]
    return name


@given(misspelt(), st.sampled_from([ALIKE, SIMILAR, 0.93, 0.3]))
def test_the_nearest_property_is_the_one_that_difflib_finds(name, cutoff):
    assert nearest(name, KNOWN, cutoff) == by_difflib(name, KNOWN, cutoff)


@given(st.text(LETTERS, max_size=90), st.lists(st.text(LETTERS, max_size=90), max_size=6))
@example("a" * 40, ["a" * 39, "A" * 41, "a"])
@example("", ["", "."])
def test_so_it_is_of_any_names(name, known):
    assert nearest(name, known, SIMILAR) == by_difflib(name, known, SIMILAR)


@given(st.text(LETTERS, max_size=90), st.text(LETTERS, max_size=90))
def test_a_ratio_below_what_is_asked_for_is_none(name, other):
    exact = difflib.SequenceMatcher(None, plain(name), plain(other)).ratio()
    assert ratio(name, other, SIMILAR) == (exact if exact >= SIMILAR else 0.0)


@pytest.mark.parametrize("name", ["table.include.lists", "snapshot-mode", "nothing.of.the.kind"])
def test_few_names_are_compared_letter_by_letter(name, monkeypatch):
    compared = []
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda _, names, **__: compared.extend(names) or []
    )
    nearest(name, KNOWN, ALIKE)
    assert len(compared) < len(KNOWN) // 20


def test_a_name_of_a_megabyte_is_like_none():
    assert nearest("table.include.list" * (LARGE // 18), KNOWN, SIMILAR) is None
