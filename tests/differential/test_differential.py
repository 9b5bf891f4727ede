"""Real Debezium and tailrace read the same log: their records are equal, or the difference is known and explained."""

import pytest
from tests.differential import known
from tests.differential.compare import compare, is_masked, of_pair
from tests.differential.mutation import mutants
from tests.differential.runs import Bench
from tests.differential.variants import VARIANTS, Variant

from support.every_scenario import EVERY, only_with_all

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow]
SHOWN = 40
ONLY_WITH_ALL = {  # near twins of those that stay; no known difference shows in these alone
    "decimal string, bigint precise",
    "transactions, query, truncate, no schemas",
    "transactions, query, truncate, minimal",
    "column policies, message keys, no schemas",
    "column policies, message keys, minimal",
    "schemas for values only",
    "no schemas, minimal",
    "late start, time isostring",
}
CHOSEN = [variant for variant in VARIANTS if EVERY or variant.name not in ONLY_WITH_ALL]


@pytest.mark.parametrize("variant", CHOSEN, ids=lambda v: v.name)
def test_every_record_equals_debeziums(bench: Bench, variant: Variant):
    outcome = bench.outcome(variant)
    assert len(outcome.debezium) > 100
    shown = "\n".join(str(difference) for difference in outcome.unexplained[:SHOWN])
    assert not outcome.unexplained, f"{len(outcome.unexplained)} differences:\n{shown}"


def test_every_known_difference_still_shows(bench: Bench):
    shown = {difference for variant in CHOSEN for difference in bench.outcome(variant).known}
    assert [k for k in known.KNOWN if k not in shown] == []


@only_with_all
def test_two_runs_of_debezium_differ_in_nothing_but_the_masked_fields(bench: Bench):
    variant = VARIANTS[0]
    assert compare(bench.from_debezium(variant, "again"), bench.from_debezium(variant, "once more")) == []


@only_with_all  # test_compare.py has it for one record of each kind
def test_no_change_of_any_field_of_a_run_goes_unseen(bench: Bench):
    for index, record in enumerate(bench.outcome(VARIANTS[1]).debezium):
        for path, mutant in mutants(record):
            seen = any(True for _ in of_pair(record.topic, index, record, mutant))
            assert seen != is_masked(record.topic, path), (record.topic, index, path)
