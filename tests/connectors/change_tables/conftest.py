"""A toy database with two tables."""

from __future__ import annotations

import pytest
from tests.connectors.change_tables.toy import Toy


@pytest.fixture
def toy() -> Toy:
    return with_tables(Toy())


@pytest.fixture(params=[False, True], ids=["updates", "pairs"])
def either_toy(request: pytest.FixtureRequest) -> Toy:
    """One that writes updates as such, and one that writes a delete and an insert."""
    return with_tables(Toy(pairs=request.param))


def with_tables(made: Toy) -> Toy:
    made.create("a", "v TEXT")
    made.create("b", "v TEXT")
    return made
