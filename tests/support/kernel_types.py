"""Which kernels a test process compiles for types that they do not declare: a stream that did so would wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tailrace.kernels.dispatchers import ENTRIES
from tailrace.kernels.store import listening


def undeclared(kernel: str, types: str) -> bool:
    """Whether one of tailrace's own kernels declares other types than it was compiled for."""
    return kernel.startswith("tailrace.") and not any(
        entry.kernel == kernel and str(entry.declared) == types for entry in ENTRIES
    )


@contextmanager
def only_declared_types() -> Iterator[None]:
    """Raise at the end of the block if a kernel was compiled for types that it does not declare."""
    found = []

    def note(kernel: str, types: str, seconds: float) -> None:
        if undeclared(kernel, types):
            found.append(f"{kernel} for {types} in {seconds:.1f} s")

    with listening(note):
        yield
    if found:
        raise AssertionError("kernels were compiled for types that they do not declare:\n" + "\n".join(found))
