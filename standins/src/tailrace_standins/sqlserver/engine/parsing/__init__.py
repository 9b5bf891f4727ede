"""T-SQL as trees: a lexer, and readers that build on each other.

- `lexer.py` tokens, `reader.py` a place in them; `operands.py`, `expressions.py`, `queries.py`
- `tables.py`, `definitions.py`, `calls.py`, `changes.py`, `settings.py`, `batches.py` statements
"""

from tailrace_standins.sqlserver.engine.parsing.batches import batch, expression

__all__ = ["batch", "expression"]
