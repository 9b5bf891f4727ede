"""Decorators that compile functions: `tailrace compile` compiles them before a run, else the first call does.

The callers decide which one to use: `entry` for functions that Python calls, `compiled` for those that only compiled
functions call. `inlined` and `merged` make a function part of its callers. Only `entry_with_runtime` may allocate.

An entry names the types of its arguments (`argument_types`). Without them it is compiled for those of each call, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar, cast

from tailrace.kernels.dispatchers import Entry, Part

Int: TypeAlias = Any
"""An integer of fixed width: in compiled code Python's `int` and numpy's integers are the same."""

_F = TypeVar("_F", bound=Callable[..., Any])

# Without numba's runtime (`_nrt`) nothing can be allocated, and references to arrays are not counted. Counting takes two
# atomic instructions for each array that is passed, which took more time than all decoding.
_OPTIONS: Final = {"nopython": True, "nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
_INNER: Final = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def entry(*types: Any) -> Callable[[_F], _F]:
    """Compile a function that Python calls with arguments of these types; compiled functions may call it too."""
    return _entry(types, _OPTIONS)


def entry_with_runtime(*types: Any) -> Callable[[_F], _F]:
    """The same for a function that makes an array from an address, which needs numba's runtime."""
    return _entry(types, {**_OPTIONS, "_nrt": True})


def c_address(function: Callable[..., Any]) -> int:
    """Where a C library calls an `entry`."""
    return cast("Entry", function).address()


def compiled(function: _F) -> _F:
    """Compile a function that only compiled functions call."""
    return Part(function, _INNER)


def inlined(function: _F) -> _F:
    """The same for a small function in a hot loop, where a call would cost as much as the work."""
    return Part(function, {**_INNER, "forceinline": True})


def merged(function: _F) -> _F:
    """The same for a large function with one caller; merged before optimization, it is optimized once, not twice."""
    return Part(function, {**_INNER, "inline": "always"})


def _entry(types: tuple[Any, ...], options: dict[str, Any]) -> Callable[[_F], _F]:
    def made(function: _F) -> _F:
        return Entry(function, types or None, options)

    return made
