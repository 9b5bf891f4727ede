"""Python functions that compiled statements call: scalar functions (listed in `registry.py`), dates, aggregates."""

from tailrace_standins.sqlserver.engine.functions import numbers, patterns, texts

__all__ = ["numbers", "patterns", "texts"]
