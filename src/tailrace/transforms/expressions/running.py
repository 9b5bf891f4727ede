"""Programs over columns: which records go which way, and what they give at the end."""

from __future__ import annotations

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.syntax import If, Program, Return
from tailrace.transforms.expressions.values import NULL, Cases


def result(evaluation: Evaluation, program: Program) -> Cases:
    """What the program gives for each record that did not fail."""
    evaluation.check()
    returned, last, _ = _run(evaluation, program, np.ones(evaluation.n, np.bool_), is_last=True)
    return returned.joined(last).within(~evaluation.failed.mask)


def _run(evaluation: Evaluation, program: Program, live: Mask, *, is_last: bool) -> tuple[Cases, Cases, Mask]:
    """What is returned; what the last statement gives where it is reached; which records go on behind the program."""
    returned, last = Cases(), Cases()
    if not program and is_last:
        last = Cases([(live, NULL)])
    for place, statement in enumerate(program):
        ends = is_last and place == len(program) - 1
        if isinstance(statement, If):
            given, last, live = _run_if(evaluation, statement, live, is_last=ends)
            returned = returned.joined(given)
            continue
        found = evaluation.evaluate(statement.expression, live)
        if isinstance(statement, Return):
            returned, live = returned.joined(found), np.zeros(evaluation.n, np.bool_)
        else:
            last, live = found if ends else Cases(), live & ~evaluation.failed.mask
    return returned, last, live


def _run_if(evaluation: Evaluation, statement: If, live: Mask, *, is_last: bool) -> tuple[Cases, Cases, Mask]:
    true, untrue = evaluation.truths(statement.test, live)
    one, one_last, one_live = _run(evaluation, statement.then, true, is_last=is_last)
    two, two_last, two_live = _run(evaluation, statement.other, untrue, is_last=is_last)
    return one.joined(two), one_last.joined(two_last), one_live | two_live
