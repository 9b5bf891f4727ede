"""Values of SQL Server: Arrow arrays, as the driver gives them for a SELECT, to vectors.

`types.py` beside this package says what is selected for each column and how it is shown; `vectors` does it. A family of
types a module, columns all the way.
"""

from tailrace.connectors.sqlserver.values.vectors import vectors, with_placeholder

__all__ = ["vectors", "with_placeholder"]
