"""MySQL's DDL applied to structures: text in, changed tables out.

`statements` tells what a statement is, `create` and `alter` read the two that are long, `editor` is the table under
change. `indexes` says what becomes of indexes, which structures lack. The words come from sqlglot's MySQL tokenizer
(`tokens`); the statements are read here, since sqlglot's own parser gives up on many of MySQL's ALTER forms and column
attributes and hands them back as plain text.
"""

from __future__ import annotations

from tailrace.connectors.mysql.ddl.indexes import IndexChanges, index_changes
from tailrace.connectors.mysql.ddl.state import State
from tailrace.connectors.mysql.ddl.statements import apply_statement
from tailrace.connectors.mysql.ddl.tokens import DEFAULT_MODE, SqlMode

__all__ = ["DEFAULT_MODE", "IndexChanges", "SqlMode", "State", "apply_statement", "index_changes"]
