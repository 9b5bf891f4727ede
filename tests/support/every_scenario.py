"""Whether to run the scenarios that only `./run tests --all` runs: it sets `TAILRACE_TEST_EVERY_SCENARIO=1`."""

import os
from typing import Final

import pytest

EVERY: Final = bool(os.environ.get("TAILRACE_TEST_EVERY_SCENARIO"))
only_with_all: Final = pytest.mark.skipif(not EVERY, reason="TAILRACE_TEST_EVERY_SCENARIO=1 runs it")
