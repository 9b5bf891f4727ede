"""Servers must not outlive the test or demo that started them, however that ends."""

from __future__ import annotations

import shutil


def dying_with_parent() -> list[str]:
    """What to put before a command: the kernel then kills it when the thread that started it ends (Linux only)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
