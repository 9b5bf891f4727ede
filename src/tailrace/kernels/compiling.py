"""How functions are compiled: by numba at first use, and kept in the cache for the next process.

What a function is called by decides. `entry` is for those that Python calls, `compiled` for those that only compiled
functions call; `inlined` and `merged` make one part of its callers. None of them may allocate; `entry_with_runtime` may.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

import numba as nb

Int: TypeAlias = Any
"""A number of fixed width: what an `int` is in compiled code, where Python's and numpy's are one."""

_F = TypeVar("_F", bound=Callable[..., Any])

# Without numba's runtime (`_nrt`) nothing can be allocated and no array's references are counted: two atomic
# instructions for each array passed on took more time than all decoding.
_OPTIONS: Final = {"nogil": True, "cache": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
_INNER: Final = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def entry(function: _F) -> _F:
    """Compile a function that Python calls; compiled functions may call it too."""
    return nb.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def entry_with_runtime(function: _F) -> _F:
    """The same for one that makes an array of an address, which numba's runtime is needed for."""
    return nb.njit(**{**_OPTIONS, "_nrt": True})(function)  # type: ignore[no-any-return]


def compiled(function: _F) -> _F:
    """Compile a function that only compiled functions call."""
    return nb.njit(**_INNER)(function)  # type: ignore[no-any-return]


def inlined(function: _F) -> _F:
    """The same for a small function of a hot loop, where a call would cost as much as the work."""
    return nb.njit(**_INNER, forceinline=True)(function)  # type: ignore[no-any-return]


def merged(function: _F) -> _F:
    """The same for a large function with one caller: merged with that, it is optimized once, not twice."""
    return nb.njit(**_INNER, inline="always")(function)  # type: ignore[no-any-return]
