"""How functions of this package are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numba as nb

_F = TypeVar("_F", bound=Callable[..., Any])

# Counting references to arrays, at each call within a compiled function, would cost ten times what the walk
# does. So nothing in this package allocates while it is compiled code.
_OPTIONS: Final = {"nogil": True, "cache": True, "boundscheck": False, "_nrt": False}
_INLINED: Final = {**_OPTIONS, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: _F) -> _F:
    """Compile at first use; kept in the cache for the next process."""
    return nb.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def inlined(function: _F) -> _F:
    """The same, inlined into its callers."""
    return nb.njit(**_INLINED)(function)  # type: ignore[no-any-return]
