"""What `./run tests --all` runs and each landing does not: `TAILRACE_TEST_EVERY_SCENARIO=1` stands for it."""

import os
from typing import Final

import pytest

EVERY: Final = bool(os.environ.get("TAILRACE_TEST_EVERY_SCENARIO"))
only_with_all: Final = pytest.mark.skipif(not EVERY, reason="TAILRACE_TEST_EVERY_SCENARIO=1 runs it")
