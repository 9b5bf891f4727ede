"""Sets of GTIDs: against sets of Python, and against the server's own functions."""

import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailrace.connectors.mysql.gtid import GtidSet, Source, parse_gtid, resumed, source_filter
from tailrace.errors import ConfigError, LogFormatError

A = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
B = "4e11fa47-71ca-11e1-9e33-c80aa9429562"
SOURCES = [Source(A), Source(A, "audit"), Source(A, "batch"), Source(B)]

members = st.frozensets(st.tuples(st.sampled_from(SOURCES), st.integers(1, 25)), max_size=40)
untagged = st.frozensets(st.tuples(st.sampled_from([Source(A), Source(B)]), st.integers(1, 25)), max_size=40)


def as_set(model: frozenset[tuple[Source, int]]) -> GtidSet:
    made = GtidSet()
    for source, number in model:
        made = made.add_number(source, number)
    return made


def as_model(given_set: GtidSet) -> frozenset[tuple[Source, int]]:
    return frozenset(
        (s, n) for s in given_set.sources for start, end in given_set.ranges(s) for n in range(start, end)
    )


@given(members, members)
def test_the_algebra_is_that_of_sets(a, b):
    x, y = as_set(a), as_set(b)
    assert as_model(x.union(y)) == a | b
    assert as_model(x.subtract(y)) == a - b
    assert as_model(x.intersect(y)) == a & b
    assert x.is_subset(y) == (a <= b)
    assert x.count() == len(a)
    assert (x == y) == (a == b)
    assert bool(x) == bool(a)


@given(members)
def test_a_set_survives_its_text_and_its_binary_form(model):
    made = as_set(model)
    assert GtidSet.parse(str(made)) == made
    assert GtidSet.decode(made.encode()) == made


@given(members, st.sampled_from(SOURCES), st.integers(1, 25))
def test_a_set_contains_what_was_added(model, source, number):
    assert as_set(model).contains(f"{source}:{number}") == ((source, number) in model)


def test_the_text_is_the_one_the_server_writes():
    text = f" {A}:1-5:7, \n{B.upper()}:3:5:4,{A}:audit:2 "
    assert str(GtidSet.parse(text)) == f"{A}:1-5:7:audit:2,{B}:3-5"


def test_the_binary_form_without_tags_is_the_one_that_every_server_takes():
    encoded = GtidSet.parse(f"{A}:1-5").encode()
    assert encoded == b"\x01" + bytes(7) + uuid.UUID(A).bytes + b"\x01" + bytes(7) + b"\x01" + bytes(
        7
    ) + b"\x06" + bytes(7)


def test_the_binary_form_with_a_tag_says_so_in_its_first_and_last_byte():
    encoded = GtidSet.parse(f"{A}:audit:1").encode()
    assert encoded[:8] == b"\x01\x01" + bytes(5) + b"\x01"
    assert encoded[24:30] == bytes([5 << 1]) + b"audit"


@pytest.mark.parametrize("text", ["nonsense", f"{A}:0", f"{A}:1-x", f"{A}:9223372036854775808", f"{A}:1:-"])
def test_what_is_no_set_is_refused_with_its_text(text):
    with pytest.raises(ConfigError, match="GTID"):
        GtidSet.parse(text)


@pytest.mark.parametrize("cut", [0, 7, 8, 20, 40])
def test_a_binary_form_that_is_cut_off_is_refused(cut):
    with pytest.raises(LogFormatError, match="binary GTID set"):
        GtidSet.decode(GtidSet.parse(f"{A}:1-5").encode()[:cut])


def test_a_gtid_has_a_source_and_a_number():
    assert parse_gtid(f"{A}:12") == (Source(A), 12)
    assert parse_gtid(f"{A.upper()}:Audit:12") == (Source(A, "audit"), 12)
    with pytest.raises(ConfigError):
        parse_gtid(f"{A}:1-2")


def test_included_sources_are_regexes_for_the_whole_uuid():
    wanted = source_filter(includes=["3E11.*"])
    assert wanted(A)
    assert not wanted(B)
    assert not source_filter(includes=["3e11"])(A)


def test_excluded_sources_are_unwanted_and_both_lists_contradict():
    wanted = source_filter(excludes=[A])
    assert wanted(B)
    assert not wanted(A)
    with pytest.raises(ConfigError, match="can't both be set"):
        source_filter(includes=[A], excludes=[B])


def test_resuming_counts_only_unwanted_sources_as_read():
    progress, executed = GtidSet.parse(f"{A}:1-5"), GtidSet.parse(f"{A}:1-9,{B}:1-4")
    assert str(resumed(progress, executed, source_filter(excludes=[B]))) == f"{A}:1-5,{B}:1-4"
    assert resumed(progress, executed, source_filter()) == progress


@pytest.mark.mysql
@settings(max_examples=40, deadline=None)
@given(pairs=st.lists(st.tuples(members, members), min_size=1, max_size=20))
def test_the_server_agrees_on_subsets_and_differences(mysql_server, pairs):
    sets = [(as_set(a), as_set(b)) for a, b in pairs]
    queries = (f"SELECT GTID_SUBSET('{a}', '{b}'), GTID_SUBTRACT('{a}', '{b}')" for a, b in sets)
    answers = mysql_server.sql(" UNION ALL ".join(queries))
    for (a, b), (subset, difference) in zip(sets, answers, strict=True):
        assert bool(subset) == a.is_subset(b)
        assert "".join(difference.split()) == str(a.subtract(b))
