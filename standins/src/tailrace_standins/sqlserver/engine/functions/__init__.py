"""The Python that compiled statements call: scalar functions (`registry.py` lists them), dates, aggregates."""

from tailrace_standins.sqlserver.engine.functions import numbers, patterns, texts

__all__ = ["numbers", "patterns", "texts"]
