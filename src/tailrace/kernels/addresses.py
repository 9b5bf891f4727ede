"""Addresses of arrays, for compiled loops that take addresses."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
import pyarrow as pa


def address_of(array: npt.NDArray[Any]) -> int:
    """The address of a contiguous array's values, in a tenth of the time of `array.ctypes.data`."""
    return int(pa.py_buffer(array).address)
