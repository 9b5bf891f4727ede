"""Decorators that compile functions: numba compiles them at first use and caches the result for later processes.

The callers decide which one to use: `entry` for functions that Python calls, `compiled` for those that only compiled
functions call. `inlined` and `merged` make a function part of its callers. Only `entry_with_runtime` may allocate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

import numba as nb

Int: TypeAlias = Any
"""An integer of fixed width: in compiled code Python's `int` and numpy's integers are the same."""

_F = TypeVar("_F", bound=Callable[..., Any])

# Without numba's runtime (`_nrt`) nothing can be allocated, and references to arrays are not counted. Counting takes two
# atomic instructions for each array that is passed, which took more time than all decoding.
_OPTIONS: Final = {"nogil": True, "cache": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
_INNER: Final = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def entry(function: _F) -> _F:
    """Compile a function that Python calls; compiled functions may call it too."""
    return nb.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def entry_with_runtime(function: _F) -> _F:
    """The same for a function that makes an array from an address, which needs numba's runtime."""
    return nb.njit(**{**_OPTIONS, "_nrt": True})(function)  # type: ignore[no-any-return]


def compiled(function: _F) -> _F:
    """Compile a function that only compiled functions call."""
    return nb.njit(**_INNER)(function)  # type: ignore[no-any-return]


def inlined(function: _F) -> _F:
    """The same for a small function in a hot loop, where a call would cost as much as the work."""
    return nb.njit(**_INNER, forceinline=True)(function)  # type: ignore[no-any-return]


def merged(function: _F) -> _F:
    """The same for a large function with one caller; merged before optimization, it is optimized once, not twice."""
    return nb.njit(**_INNER, inline="always")(function)  # type: ignore[no-any-return]
