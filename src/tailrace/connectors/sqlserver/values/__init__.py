"""Values of SQL Server: converts the driver's Arrow arrays to vectors.

`types.py` beside this package determines what is selected for each column, and its schema; `vectors` converts it. Each
module has a family of types; all of them work on whole columns.
"""

from tailrace.connectors.sqlserver.values.vectors import vectors, with_placeholder

__all__ = ["vectors", "with_placeholder"]
