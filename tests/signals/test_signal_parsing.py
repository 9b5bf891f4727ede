"""Signals out of texts: what Debezium takes, what it warns about, and that nothing else comes out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.signals.model import (
    Channel,
    Condition,
    ExecuteSnapshot,
    Log,
    PauseSnapshot,
    ResumeSnapshot,
    SchemaChanges,
    Signal,
    SnapshotKind,
    SnapshotWindow,
    StopSnapshot,
    Unreadable,
)
from tailrace.signals.parsing import parse_message, parse_signal

SOURCE, FILE, KAFKA = Channel.SOURCE, Channel.FILE, Channel.KAFKA
INCREMENTAL, BLOCKING = SnapshotKind.INCREMENTAL, SnapshotKind.BLOCKING
TYPES = ("execute-snapshot", "stop-snapshot", "pause-snapshot", "resume-snapshot", "log", "schema-changes")
FIELDS = (
    "type",
    "data-collections",
    "additional-condition",
    "additional-conditions",
    "data-collection",
    "filter",
    "surrogate-key",
    "message",
    "changes",
    "database",
    "schema",
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["db1.t", "db1\\..*"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | st.text(), inner, max_size=4),
    max_leaves=12,
)


def signal(type_, data, channel=SOURCE):
    return parse_signal("ad-hoc-1", type_, data if data is None or isinstance(data, str) else json.dumps(data), channel)


def execute(**data):
    return signal(
        "execute-snapshot", {"data-collections": ["db1.t"], **{k.replace("_", "-"): v for k, v in data.items()}}
    )


def reason(type_, data):
    found = signal(type_, data)
    assert isinstance(found, Unreadable)
    assert (found.id, found.channel) == ("ad-hoc-1", SOURCE)
    return found.reason


def test_the_example_of_the_documentation_asks_for_an_incremental_snapshot():
    data = """{"data-collections": ["db1.table1", "db1.table2"],
    "type":"incremental",
    "additional-conditions":[{"data-collection": "db1.table1" ,"filter":"color='blue'"}]}"""
    assert signal("execute-snapshot", data) == ExecuteSnapshot(
        id="ad-hoc-1",
        channel=SOURCE,
        kind=INCREMENTAL,
        collections=("db1.table1", "db1.table2"),
        conditions=(Condition("db1.table1", "color='blue'"),),
    )


def test_a_blocking_snapshot_has_statements_for_its_tables():
    found = execute(
        type="blocking",
        additional_conditions=[{"data-collection": "schema1.table1", "filter": "SELECT * FROM schema1.table1"}],
    )
    assert found.kind is BLOCKING
    assert found.conditions == (Condition("schema1.table1", "SELECT * FROM schema1.table1"),)


@pytest.mark.parametrize(
    ("given_", "kind"),
    [("INCREMENTAL", INCREMENTAL), ("Blocking", BLOCKING), (None, INCREMENTAL), (5, INCREMENTAL)],
)
def test_the_kind_is_read_without_regard_to_case_and_is_incremental_where_nothing_is_said(given_, kind):
    assert execute(type=given_).kind is kind
    assert execute().kind is INCREMENTAL


def test_names_lose_their_outer_spaces_and_keep_their_quotes():
    assert execute(data_collections=[" db1.a\n", '\tdb1."My.Table" ']).collections == ("db1.a", 'db1."My.Table"')


def test_a_name_for_a_blocking_snapshot_may_be_a_list():
    data = {"data-collections": ["db1.a, db1.b", r"db1.c{1\,2}"], "type": "blocking"}
    assert signal("execute-snapshot", data).collections == ("db1.a", "db1.b", "db1.c{1,2}")


def test_other_names_in_the_data_are_kept_to_be_told():
    assert execute(reason="why not", type="blocking").unknown == ("'reason'",)
    assert signal("stop-snapshot", {"by\nERROR": "me"}).unknown == ("'by\\nERROR'",)
    assert execute().unknown == ()


def test_what_is_nearly_another_name_and_reads_no_more_than_was_meant_is_only_remembered():
    data = {"data-collections": ["a"], "surrogate_key": "id"}
    assert signal("execute-snapshot", data).unknown == ("'surrogate_key' (did you mean 'surrogate-key'?)",)
    assert execute(collections=["a"]).unknown == ("'collections' (did you mean 'data-collections'?)",)


@pytest.mark.parametrize("nothing", ["", {}, [], None])
def test_empty_conditions_of_any_kind_are_none(nothing):
    for name in ("additional-conditions", "additional-condition"):
        assert execute(**{name: nothing}).conditions == ()


def test_a_surrogate_key_that_is_blank_is_none():
    assert execute(surrogate_key="uid").surrogate_key == "uid"
    assert execute(surrogate_key="  ").surrogate_key is None
    assert execute(surrogate_key=7).surrogate_key is None


def test_the_older_condition_is_for_all_tables_unless_there_are_newer_ones():
    assert execute(additional_condition="a > 1").conditions == (Condition(".*", "a > 1"),)
    assert execute(additional_condition=" ").conditions == ()
    newer = [{"data-collection": "db1.t", "filter": "a > 2"}]
    assert execute(additional_condition="a > 1", additional_conditions=newer).conditions == (
        Condition("db1.t", "a > 2"),
    )
    assert execute(additional_condition="a > 1", type="blocking").conditions == ()


def test_a_stop_names_tables_or_means_all():
    some = signal("stop-snapshot", '{"type":"INCREMENTAL", "data-collections": ["public.MyFirstTable"]}')
    assert some == StopSnapshot(id="ad-hoc-1", channel=SOURCE, kind=INCREMENTAL, collections=("public.MyFirstTable",))
    for data in (None, "", "{}", '{"data-collections": []}', '{"data-collections": null}'):
        assert signal("stop-snapshot", data) == StopSnapshot(id="ad-hoc-1", channel=SOURCE, kind=INCREMENTAL)


@pytest.mark.parametrize(
    ("type_", "class_"),
    [
        ("pause-snapshot", PauseSnapshot),
        ("resume-snapshot", ResumeSnapshot),
        ("snapshot-window-open", SnapshotWindow),
        ("snapshot-window-close", SnapshotWindow),
    ],
)
@pytest.mark.parametrize("data", [None, "", "{}", '{"type": "incremental"}'])
def test_what_needs_no_data_takes_any(type_, class_, data):
    assert signal(type_, data) == class_(id="ad-hoc-1", channel=SOURCE)


def test_structures_come_with_their_database():
    change = {"type": "ALTER", "id": '"db1"."t"', "table": {"columns": []}}
    found = signal("schema-changes", {"database": "db1", "changes": [change]})
    assert found == SchemaChanges(id="ad-hoc-1", channel=SOURCE, database="db1", schema=None, changes=(change,))


def test_a_line_for_the_log_names_the_position():
    found = signal("log", '{"message": "Signal message at offset {}"}')
    assert found == Log(id="ad-hoc-1", channel=SOURCE, message="Signal message at offset {}")
    assert found.text("{file=b.1, pos=4}") == "Signal message at offset {file=b.1, pos=4}"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("none", "none"),
        ("{} and {}", "P and {}"),
        (r"\{} and {}", "{} and P"),
        (r"\\{}", r"\P"),
        (r"\\\{}", r"\\P"),
        (r"\{}", "{}"),
        ("{}", "P"),
        ("{ }", "{ }"),
    ],
)
def test_only_the_first_placeholder_is_filled_and_a_backslash_hides_one(message, text):
    assert Log(id=None, channel=SOURCE, message=message).text("P") == text


@pytest.mark.parametrize(
    ("type_", "data", "says"),
    [
        (
            "execute-snapshots",
            "{}",
            "the type 'execute-snapshots' is not known; there are execute-snapshot, stop-snapshot",
        ),
        ("LOG", '{"message": "x"}', "the type 'LOG' is not known"),
        (None, "{}", "it has no type"),
        ("set-binlog-position", '{"gtid_set": "a:1"}', "tailrace takes no position from a signal"),
        ("execute-snapshot", None, "data-collections is missing or empty"),
        ("execute-snapshot", '{"data-collections": "db1.t"}', "data-collections should be a list, not text"),
        ("stop-snapshot", '{"data-collections": "db1.t"}', "data-collections should be a list, not text"),
        ("stop-snapshot", '{"data-collection": ["db1.t"]}', "'data-collection' in its data means nothing; write 'data-collections'"),
        ("execute-snapshot", '{"data_collections": ["a"]}', "'data_collections' in its data means nothing"),
        (
            "execute-snapshot",
            '{"data-collections": ["a"], "additional-filters": "x", "additionalConditions": []}',
            "'additionalConditions' in its data means nothing; write 'additional-conditions'",
        ),
        (
            "execute-snapshot",
            '{"data-collections": ["a"], "additional-conditions": {"data-collection": "a", "filter": "x"}}',
            "additional-conditions should be a list, not an object",
        ),
        (
            "execute-snapshot",
            '{"data-collections": ["a"], "additional-condition": ["x"]}',
            "additional-condition should be text, not a list",
        ),
        ("execute-snapshot", '{"data-collections": ["a", 5]}', "each of data-collections should be text"),
        ("execute-snapshot", '{"data-collections": ["a["]}', "data-collections: 'a[' is not a regular expression"),
        ("stop-snapshot", '{"data-collections": ["a["]}', "data-collections: 'a[' is not a regular expression"),
        ("execute-snapshot", '{"data-collections": ["a"], "type": "fast"}', "the type of the snapshot is 'fast'"),
        ("stop-snapshot", '{"type": ""}', "the type of the snapshot is ''"),
        (
            "execute-snapshot",
            '{"data-collections": ["a"], "additional-conditions": ["b"]}',
            "each of additional-conditions should be an object, not text",
        ),
        (
            "execute-snapshot",
            '{"data-collections": ["a"], "additional-conditions": [{"data-collection": "a"}]}',
            "each of additional-conditions needs data-collection and filter",
        ),
        (
            "execute-snapshot",
            '{"data-collections": ["a"], "additional-conditions": [{"data-collection": "(", "filter": "x"}]}',
            "additional-conditions: '(' is not a regular expression",
        ),
        ("log", "{}", "message is missing or empty"),
        ("log", '{"message": 5}', "message is missing or empty"),
        ("schema-changes", '{"database": "d"}', "changes is missing or empty"),
        ("schema-changes", '{"changes": [{}]}', "database is missing or empty"),
        ("schema-changes", '{"database": "d", "changes": [1]}', "each of changes should be an object, not a number"),
        ("pause-snapshot", "please", "its JSON can't be read: Expecting value"),
        ("pause-snapshot", " ", "its JSON can't be read"),
        ("pause-snapshot", '["a"]', "it should have a JSON object, not a list"),
        ("pause-snapshot", "null", "it should have a JSON object, not null"),
        ("execute-snapshot", '{"data-collections": ["a"]', "its JSON can't be read"),
        ("log", '{"message": NaN}', "its JSON can't be read: NaN is not a number in JSON"),
        ("log", '{"message": "\\ud800"}', "its JSON can't be read"),
        ("log", '{"a":' * 100_000, "its JSON can't be read"),
    ],
)
def test_what_can_not_be_carried_out_is_told_with_its_reason(type_, data, says):
    assert reason(type_, data).startswith(says)


def test_a_complaint_names_the_signal():
    assert str(signal("jump", "{}")).startswith(
        "the signal 'ad-hoc-1' from the channel source is left out: the type 'jump'"
    )
    assert str(parse_message("x", KAFKA)).startswith("a signal without an id from the channel kafka is left out: ")


@pytest.mark.parametrize(
    "data",
    [
        '{"message": "x"} and more',
        '/* why */ {"message": "x"}',
        '{"message": "x" // why\n}',
        ' \n{"message": "x"}',
        '{"a": "// no comment", /* one */ "message": "x"}',
    ],
)
def test_json_is_read_as_loosely_as_debezium_does(data):
    assert signal("log", data) == Log(id="ad-hoc-1", channel=SOURCE, message="x")


def test_control_characters_may_stand_in_text():
    assert signal("log", '{"message": "a\nb"}').message == "a\nb"


def test_the_example_of_a_line_in_a_file():
    text = (
        '{"id":"d139b9b7-7777-4547-917d-111111111111", "type":"execute-snapshot", '
        '"data":{"data-collections": ["public.MyFirstTable", "public.MySecondTable"]}}'
    )
    assert parse_message(text, FILE) == ExecuteSnapshot(
        id="d139b9b7-7777-4547-917d-111111111111",
        channel=FILE,
        kind=INCREMENTAL,
        collections=("public.MyFirstTable", "public.MySecondTable"),
    )


def test_the_example_of_a_kafka_message():
    text = (
        b'{"type":"execute-snapshot","data": {"data-collections": ["public.MyFirstTable"], "type": "INCREMENTAL", '
        b'"additional-conditions":[{"data-collection": "public.MyFirstTable", '
        b"\"filter\":\"color='blue' AND brand='MyBrand'\"}]}}"
    )
    assert parse_message(text, KAFKA) == ExecuteSnapshot(
        id=None,
        channel=KAFKA,
        kind=INCREMENTAL,
        collections=("public.MyFirstTable",),
        conditions=(Condition("public.MyFirstTable", "color='blue' AND brand='MyBrand'"),),
    )


@pytest.mark.parametrize(
    ("given_", "expected"),
    [('"a"', "a"), ("5", "5"), ("null", None), ("true", None), ("{}", None), ('""', "")],
)
def test_the_id_of_a_message_is_text_or_a_number(given_, expected):
    assert parse_message(f"""{{"id": {given_}, "type": "pause-snapshot"}}""", FILE).id == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"id": "a", "type": "pause-snapshot", "data": "{}"}', "data should be a JSON object, not text"),
        ('{"id": "a", "data": {}}', "it has no type"),
        ('{"id": "a", "type": 5}', "it has no type"),
    ],
)
def test_a_message_that_is_wrong_keeps_its_id(text, says):
    found = parse_message(text, FILE)
    assert (found.id, found.reason) == ("a", says)


def test_a_message_may_leave_its_data_out():
    for text in ('{"id": "a", "type": "pause-snapshot"}', '{"id": "a", "type": "pause-snapshot", "data": null}'):
        assert parse_message(text, FILE) == PauseSnapshot(id="a", channel=FILE)


def test_a_message_that_is_not_utf_8_is_told():
    assert parse_message(b'{"id": "\xff"}', FILE).reason == "it is not UTF-8: invalid start byte at byte 8"


@given(
    st.none() | st.text(),
    st.none() | st.sampled_from(TYPES) | st.text(),
    st.none() | st.text() | ANYTHING.map(json.dumps),
)
def test_whatever_comes_becomes_a_signal_with_its_id(id_, type_, data):
    found = parse_signal(id_, type_, data, SOURCE)
    assert isinstance(found, Signal)
    assert (found.id, found.channel) == (id_, SOURCE)
    assert str(found)


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(FIELDS), ANYTHING))
def test_a_message_says_the_same_as_its_parts(type_, data):
    message = json.dumps({"id": "i", "type": type_, "data": data})
    assert parse_message(message, KAFKA) == parse_signal("i", type_, json.dumps(data), KAFKA)


@given(st.binary() | st.text() | ANYTHING.map(json.dumps))
def test_whatever_a_message_is_it_becomes_a_signal(text):
    assert isinstance(parse_message(text, KAFKA), Signal)


@given(st.lists(st.from_regex(r"[a-z]{1,5}\.[a-z]{1,5}", fullmatch=True), min_size=1), st.sampled_from(SnapshotKind))
def test_the_collections_keep_their_order(names, kind):
    data = json.dumps({"data-collections": names, "type": kind.value})
    assert parse_signal("i", "execute-snapshot", data, SOURCE).collections == tuple(names)
