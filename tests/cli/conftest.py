"""A Spark session for the tests of this folder, as the command line starts it."""

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def spark():
    from tailrace.cli.session import start_session

    os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    session = start_session()
    yield session
    session.stop()
    sys.stdout.flush()
