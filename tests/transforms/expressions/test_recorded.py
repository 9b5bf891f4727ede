"""What real Groovy 4.0.17 and GraalJS 25 made of expressions, recorded; ours beside it, without Java."""

import numpy as np
import pytest
from tests.formats.golden_records import golden_records
from tests.formats.recording_expressions import LANGUAGES, recorded

from support.expression_rows import LINES
from tailrace.transforms.expressions.expression import Expression

(RECORDS,) = golden_records(LINES)


def outcomes(language, text, records=RECORDS):
    """T, F or ! for each record."""
    true, failed = Expression(language, text).condition(records)
    return "".join(np.where(failed.mask, "!", np.where(true, "T", "F")).tolist())


@pytest.mark.parametrize("language", LANGUAGES)
def test_conditions_are_true_false_and_fail_where_the_real_engine_says_so(language):
    expected = dict(recorded(language))
    assert len(expected) > 250
    assert {text: outcomes(language, text) for text in expected} == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_record_alone_has_the_outcome_that_it_has_among_others(language):
    alone = [RECORDS.take(np.array([i])) for i in range(len(RECORDS))]
    for text, expected in list(recorded(language))[::5]:
        assert "".join(outcomes(language, text, record) for record in alone) == expected, text
