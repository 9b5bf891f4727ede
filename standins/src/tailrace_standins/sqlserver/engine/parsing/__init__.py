"""Parses T-SQL into trees: a lexer, and parsers of which each builds on the one before.

- `lexer.py` tokens, `reader.py` a cursor over them; `operands.py`, `expressions.py`, `queries.py`
- `tables.py`, `definitions.py`, `calls.py`, `changes.py`, `settings.py`, `batches.py` statements
"""

from tailrace_standins.sqlserver.engine.parsing.batches import batch, expression

__all__ = ["batch", "expression"]
