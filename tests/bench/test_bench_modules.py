"""Every module of the benchmarks can be imported: they run seldom, and what they import moves."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "bench").rglob("*.py")
    if path.name not in {"__init__.py", "__main__.py"}
)


@pytest.mark.parametrize("name", MODULES)
def test_it_can_be_imported(name):
    import_module(name)
