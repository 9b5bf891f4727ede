"""Ends servers with the test or demo that started them, even if that is killed."""

from __future__ import annotations

import shutil


def dying_with_parent() -> list[str]:
    """A prefix for a command: the kernel then kills it when the thread that started it ends. Empty without setpriv."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
