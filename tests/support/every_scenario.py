"""Whether to run the scenarios that only `./run tests --all` runs: it sets `TAILRACE_TEST_EVERY_SCENARIO=1`."""

import os
from typing import Final

import pytest

EVERY: Final = bool(os.environ.get("TAILRACE_TEST_EVERY_SCENARIO"))
WHY: Final = "TAILRACE_TEST_EVERY_SCENARIO=1 runs it"
"""Said of what is skipped without it."""
only_with_all: Final = pytest.mark.skipif(not EVERY, reason=WHY)
