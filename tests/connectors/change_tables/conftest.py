"""A toy database with two tables."""

from __future__ import annotations

import pytest
from tests.connectors.change_tables.toy import Toy


@pytest.fixture
def toy() -> Toy:
    made = Toy()
    made.create("a", "v TEXT")
    made.create("b", "v TEXT")
    return made
