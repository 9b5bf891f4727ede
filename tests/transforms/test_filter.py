"""Filter: what it keeps, what it is for, what fails."""

import numpy as np
import pytest
from tests.formats.golden_records import golden_records

from support.expression_rows import LINES
from support.row_changes import row_changes
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, TransformError, UnsupportedError
from tailrace.events.pipeline import transforms_of
from tailrace.transforms.chain import transformed

TYPE = "io.debezium.transforms.Filter"
(RECORDS,) = golden_records(LINES)


def chain(condition, language="jsr223.groovy", tolerance="none", **options):
    given = {"type": TYPE, "language": language, "condition": condition}
    given |= {name.replace("_", "."): value for name, value in options.items()}
    settings = unit_settings(
        {"transforms": "f", "errors.tolerance": tolerance} | {f"transforms.f.{name}": value for name, value in given.items()}
    )
    return transforms_of(settings)


def kept(records, *args, **options):
    """The places of the records that are kept, in order."""
    return sorted(int(each) for part in transformed(records, chain(*args, **options)) for each in part.log_order)


def test_records_of_real_events_are_kept_where_the_condition_is_true():
    event = row_changes([("c", None, (1, "a")), ("u", (1, "a"), (1, None)), ("d", (1, None), None), ("c", None, (2, "b"))])
    records = event.source_records()
    live = [i for i in range(len(records)) if records.has_value is None or records.has_value[i]]
    ops = kept(records.where(np.isin(np.arange(len(records)), live)), "value.op == 'c' && value.after.c1 == 'b'")
    assert ops == [3]
    assert kept(records, "value.after?.c0 == 1 || value.before?.c0 == 1", null_handling_mode="drop") == [0, 1, 2]


@pytest.mark.parametrize(("mode", "places"), [("keep", [0, 3, 4]), ("drop", [0, 3]), ("KEEP", [0, 3, 4])])
def test_records_without_a_value_are_kept_or_dropped(mode, places):
    assert kept(RECORDS, "value.op == 'c'", null_handling_mode=mode) == places


def test_records_without_a_value_are_evaluated_if_that_is_asked_for():
    assert kept(RECORDS, "value == null", null_handling_mode="evaluate") == [4]
    with pytest.raises(TransformError, match=r"transforms\.f \(Filter\) failed on a record of the topic srv\.db\.t: value is null"):
        kept(RECORDS, "value.op == 'c'", null_handling_mode="evaluate")


def test_other_topics_stay_as_they_are():
    assert kept(RECORDS, "false", topic_regex="srv") == [0, 1, 2, 3, 4, 5]
    assert kept(RECORDS, "false", topic_regex="srv.*") == [4]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("value.nope == 'c'", "value has no field nope: topic.regex chooses the topics that have it"),
        ("value.after.id > 5", "value.after is null there, and has no id: write value.after?.id"),
        ("value.op", "the condition gives text: it must give true or false"),
        ("value.after?.flag", "the condition gives null: it must give true or false"),
        ("value.source.db > 5", "text and a number have no order"),
    ],
)
def test_a_failure_says_what_is_wrong_with_the_record(condition, words):
    with pytest.raises(TransformError) as failed:
        kept(RECORDS, condition)
    assert words in str(failed.value)


def test_records_that_fail_are_dropped_where_that_is_tolerated():
    assert kept(RECORDS, "value.after.id > 5", tolerance="all") == [1, 3, 4]


@pytest.mark.parametrize(
    ("condition", "options", "words"),
    [
        ("value.op = 'c'", {}, "condition: = can't be used: nothing can be assigned: == compares (column 10"),
        ("true", {"topic_regex": "("}, "topic.regex"),
        ("true", {"language": "jsr223.jexl"}, "which can't run here"),
        ("true", {"null_handling_mode": "skip"}, "null.handling.mode"),
    ],
)
def test_a_configuration_that_can_not_be_used_is_refused(condition, options, words):
    with pytest.raises((ConfigError, UnsupportedError)) as refused:
        chain(condition, **options)
    assert words in str(refused.value)


def test_an_empty_event_stays_empty():
    assert kept(RECORDS.take(np.array([], np.int64)), "true") == []
