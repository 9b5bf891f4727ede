"""The protocol of columns for the columnar encoder: their values' sizes, and writing them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tailrace_standins.sqlserver.tds.kernels import Bytes, Places


class Column(Protocol):
    """A column that is ready to be written."""

    def add_sizes(self, sizes: Places) -> None:
        """Add the encoded size of each row's value."""
        ...

    def put(self, out: Bytes, at: Places) -> None:
        """Write each row's value at its offset, and advance the offsets."""
        ...


def validity(array: Any) -> NDArray[np.uint8]:
    """One byte for each row, 0 for NULL."""
    if not array.null_count:
        return np.ones(len(array), np.uint8)
    valid: NDArray[np.uint8] = array.is_valid().to_numpy(zero_copy_only=False).view(np.uint8)
    return valid
