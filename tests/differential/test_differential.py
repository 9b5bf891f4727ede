"""Real Debezium and tailrace read the same log: their records are equal, or the difference is known and explained."""

import pytest
from tests.differential import known
from tests.differential.compare import compare, is_masked, of_pair
from tests.differential.mutation import mutants
from tests.differential.runs import Bench
from tests.differential.variants import VARIANTS, Variant

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow]
SHOWN = 40


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_every_record_equals_debeziums(bench: Bench, variant: Variant):
    outcome = bench.outcome(variant)
    assert len(outcome.debezium) > 100
    shown = "\n".join(str(difference) for difference in outcome.unexplained[:SHOWN])
    assert not outcome.unexplained, f"{len(outcome.unexplained)} differences:\n{shown}"


def test_every_known_difference_still_shows(bench: Bench):
    shown = {difference for variant in VARIANTS for difference in bench.outcome(variant).known}
    assert [k for k in known.KNOWN if k not in shown] == []


def test_two_runs_of_debezium_differ_in_nothing_but_the_masked_fields(bench: Bench):
    variant = VARIANTS[0]
    assert compare(bench.from_debezium(variant, "again"), bench.from_debezium(variant, "once more")) == []


def test_no_change_of_any_field_of_a_run_goes_unseen(bench: Bench):
    for index, record in enumerate(bench.outcome(VARIANTS[1]).debezium):
        for path, mutant in mutants(record):
            seen = any(True for _ in of_pair(record.topic, index, record, mutant))
            assert seen != is_masked(record.topic, path), (record.topic, index, path)
