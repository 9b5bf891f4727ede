"""Random chains beside the real ones."""

import pytest
from hypothesis import HealthCheck, given, settings
from tests.formats.chains import same_chain, some_lines
from tests.formats.random_chains import chains

from support.every_scenario import EVERY

pytestmark = [pytest.mark.debezium, pytest.mark.slow]
EXAMPLES = 300 if EVERY else 8


@settings(max_examples=EXAMPLES, deadline=None, derandomize=not EVERY, suppress_health_check=list(HealthCheck))
@given(chain=chains)
def test_a_random_chain_gives_the_same_records(connect_parts, chain):
    lines = some_lines()[::2]
    found = same_chain(connect_parts, lines, chain)
    assert found.records + found.dropped + found.failed >= len(lines)
