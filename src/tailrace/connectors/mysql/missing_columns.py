"""Row images that lack columns (binlog_row_image NOBLOB or MINIMAL, a setting of every session).

As in Debezium, a BLOB, TEXT or JSON column that an image lacks gets the placeholder for unavailable
values, because consumers know it. Any other missing column would have to be null, which consumers would
mistake for the value: that stops the connector instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tailrace.changes.vectors import Vector
from tailrace.connectors.mysql.rows import RowImages
from tailrace.connectors.shared.arrow_values.filling import with_value
from tailrace.errors import LogFormatError
from tailrace.schema.tables import Table

LARGE_TYPES = ("BLOB", "TEXT", "JSON")


def fill_missing(images: RowImages, table: Table, placeholder: str) -> Sequence[Vector | None]:
    """The columns of the images, with the placeholder for missing large values.

    Args:
        images: of rows.
        table: their structure.
        placeholder: `unavailable.value.placeholder`.

    Raises:
        LogFormatError: a column without a placeholder is missing.

    """
    vectors = list(images.vectors)
    for index, bitmap in images.missing.items():
        column, vector = table.columns[index], vectors[index]
        if vector is None:
            continue
        if not column.type_name.upper().split("(")[0].strip().endswith(LARGE_TYPES):
            raise LogFormatError(
                f"the log lacks the column {column.name}: binlog_row_image was MINIMAL in the session that wrote it. "
                "SET PERSIST binlog_row_image = FULL (or NOBLOB), and take care that no session changes it"
            )
        missing = np.unpackbits(bitmap, count=vector.length, bitorder="little").view(np.bool_)
        vectors[index] = with_value(vector, missing, placeholder)
    return vectors
