"""What a chain does to one record, step by step."""

import numpy as np

from support.transforming import UNWRAP, changes, properties
from support.unit_settings import unit_settings
from tailrace.transforms.steps import steps

MISSING = ("io.debezium.transforms.Filter", {"language": "jsr223.groovy", "condition": "value.after.c0 > 0"})


def taken(number, *chain):
    """The steps for one of the records of `changes`: a create, an update, a delete, its tombstone."""
    return list(steps(changes().take(np.array([number])), unit_settings(properties(*chain)).transform_chain))


def test_each_transform_has_a_step_with_what_it_made():
    found = taken(0, UNWRAP, ("RegexRouter", {"regex": ".*", "replacement": "x"}))
    assert [(each.alias, each.records[0].topic) for each in found] == [("t0", "dbz.shop.t"), ("t1", "x")]


def test_the_step_that_drops_a_record_is_the_last():
    found = taken(3, "io.debezium.transforms.ExtractNewRecordState", ("RegexRouter", {"regex": ".*", "replacement": "x"}))
    assert [(each.alias, each.records, each.failure) for each in found] == [("t0", (), None)]


def test_the_step_that_fails_says_why():
    (step,) = taken(2, MISSING, UNWRAP)
    assert step.records == ()
    assert "transforms.t0 (Filter) failed" in step.failure
