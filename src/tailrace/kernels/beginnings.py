"""What numba does before a process's first kernel, done beforehand: it looks for extensions, and registers what it can compile.

That takes a third of a second; a process that is forked afterwards has it.
"""

from __future__ import annotations

from numba.core import entrypoints
from numba.core.registry import cpu_target


def begin() -> None:
    """Do it; a second time it does nothing."""
    entrypoints.init_all()
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
