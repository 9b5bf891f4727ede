"""What the reference says was compared, is compared by a test; and nothing else is."""

from pathlib import Path

import pytest

from tailrace.transforms.compared import compared_with
from tailrace.transforms.registry import predicate_names, transform_names
from tailrace_standins.servers import connect_jars

FORMATS = Path(__file__).parents[1] / "formats"
TESTS = "".join(file.read_text() for file in [*FORMATS.glob("test_*.py"), *FORMATS.glob("recording*.py")])
NAMES = [*transform_names(), *predicate_names()]
COMPARED = [name for name in NAMES if compared_with(name)]


@pytest.mark.parametrize("name", COMPARED)
def test_a_test_runs_the_real_class_beside_ours(name):
    assert name.rpartition(".")[2] in TESTS


def test_the_versions_are_those_of_the_jars():
    versions = {compared_with(name) for name in COMPARED}
    assert versions == {
        f"Kafka Connect {connect_jars.CONNECT}",
        f"Debezium {connect_jars.PLUGINS}",
        f"kafka-connect-transform-common {connect_jars.COMMON_TRANSFORMS}",
    }


@pytest.mark.parametrize("name", [name for name in NAMES if not compared_with(name)])
def test_no_test_runs_the_real_class_of_what_was_not_compared(name):
    assert f'"{name}"' not in TESTS
