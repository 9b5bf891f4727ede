"""What the driver makes of FOR BIT DATA: text that need not be UTF-8, of the bytes that the server sent."""

from __future__ import annotations

import pyarrow as pa


def as_bytes(array: pa.Array) -> pa.Array:
    """The bytes of such an array, without a copy; another array as it is."""
    return array.view(pa.binary()) if pa.types.is_string(array.type) else array
