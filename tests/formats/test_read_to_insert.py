"""ReadToInsertEvent beside Debezium's, which is in the jar of the MySQL connector."""

import pytest
from tests.differential.jars import UnavailableError, debezium_jars
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import ConnectParts, Transform
from tests.formats.golden_lines import golden_lines

from tailrace_standins.servers.connect_jars import connect_jars
from tailrace_standins.servers.java_jars import Unavailable

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.connector.mysql.transforms.ReadToInsertEvent"


@pytest.fixture(scope="module")
def mysql_parts():
    try:
        parts = ConnectParts([*connect_jars(), *debezium_jars()])
    except (Unavailable, UnavailableError) as reason:
        pytest.skip(f"no jar of Debezium's MySQL connector: {reason}")
    with parts:
        yield parts


@pytest.mark.parametrize("source", ["snapshots: initial-with-schemas", "snapshots: incremental-with-schemas"])
def test_rows_of_a_snapshot_become_the_same_inserts(mysql_parts, source):
    lines = golden_lines(source)
    found = assert_as_real(mysql_parts, lines, Transform(TYPE), schemas=[False])
    assert found.records == len(lines)
