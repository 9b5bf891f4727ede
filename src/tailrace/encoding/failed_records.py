"""Which records an error is about, where all of them fail for the same reason: their schema can't be written, or is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.errors import TailraceError


@contextmanager
def failing(records: Mask, *errors: type[TailraceError]) -> Iterator[None]:
    """A context whose errors of these classes are about these records, shape (n,)."""
    try:
        yield
    except errors as error:
        error.failed = records
        raise


@contextmanager
def within(chosen: Mask) -> Iterator[None]:
    """A context that handles only the chosen records of those at hand, shape (n,): what its errors are about is among them."""
    try:
        yield
    except TailraceError as error:
        if error.failed is not None:
            failed = np.zeros(len(chosen), np.bool_)
            failed[np.flatnonzero(chosen)[error.failed]] = True
            error.failed = failed
        raise
