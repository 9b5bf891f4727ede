"""Counts the bytes of the log that a process reads. Python runs this module at its start if its folder is on PYTHONPATH.

tailrace itself is not changed: when the module that reads the log is imported, its method that receives bytes is wrapped. Each
process writes to its own file in the folder of `TAILRACE_BENCH_COUNTED`: one number of eight bytes that is always current, so
that the count of a killed process is known too.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import mmap
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

MODULE = "tailrace.connectors.mysql.stream"
FOLDER = "TAILRACE_BENCH_COUNTED"


class Finder(importlib.abc.MetaPathFinder):
    """Finds the module as usual, and wraps its loader."""

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if name != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


class Loader(importlib.machinery.SourceFileLoader):
    """Wraps the method when the module was loaded."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        stream = module.BinlogStream
        receive, counter = stream._receive, Counter()  # noqa: SLF001 -- receives the bytes from the socket

        def counted(self: object, buffer: memoryview) -> int:
            count: int = receive(self, buffer)
            counter.add(count)
            return count

        stream._receive = counted  # noqa: SLF001


class Counter:
    """A number in a file."""

    def __init__(self) -> None:
        path = Path(os.environ[FOLDER]) / str(os.getpid())
        path.write_bytes(bytes(8))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 8)
        self._total = 0

    def add(self, count: int) -> None:
        self._total += count
        self._memory[:] = self._total.to_bytes(8, "little")


if FOLDER in os.environ:
    sys.meta_path.insert(0, Finder())
