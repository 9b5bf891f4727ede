"""The row image decoder: bytes of row events in, columns out, compiled with numba.

`plan.py` beside this package says how each column is read; `RowDecoder` does it. Two passes over some
thousand images at a time: `scan` finds where each value stands, `columns` has a loop for each type.
Everything else here is one family of types a module. Nothing does I/O, so recorded bytes are test data.
"""

from tailrace.connectors.mysql.rows.decoder import RowDecoder
from tailrace.connectors.mysql.rows.images import RowError, RowImages

__all__ = ["RowDecoder", "RowError", "RowImages"]
