"""Compiled kernels in files: one for each kernel and its types, written whole or not at all, and found by what they depend on.

Any number of processes and machines may read and write a folder at once: a name says all that the content depends on, so two
files of one name are the same. A file begins with a digest of the rest; what does not fit is compiled again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from tailrace.kernels.folders import folders, is_trusted, writable_folder
from tailrace.kernels.locking import locked
from tailrace.kernels.stamps import stamp

log = logging.getLogger(__name__)

Compiled = Callable[[str, str, float], None]
"""Called after a compilation with the kernel's name, its types and the seconds it took."""
_DIGEST: Final = 32
_NOT_IN_NAMES: Final = re.compile(r"[^\w.]")
_listeners: list[Compiled] = []


@contextmanager
def listening(listener: Compiled) -> Iterator[None]:
    """Call a function after each compilation of this process within the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


class Store(_Cache):  # type: ignore[misc]
    """The files of one kernel, as numba's dispatcher asks for them."""

    def __init__(self, module: str, name: str) -> None:
        """`module` and `name`: where the kernel is defined."""
        self.kernel = f"{module}.{name}"
        self._module = module
        self._began = 0.0

    @property
    def cache_path(self) -> str | None:
        """The folder for new files."""
        folder = writable_folder()
        return None if folder is None else str(folder)

    @contextmanager
    def compiling(self, signature: Any, target: Any) -> Iterator[None]:
        """A block that loads or compiles; only one process of this machine compiles, and the others wait for it."""
        name, folder = self._file(signature, target), writable_folder()
        if folder is None or self._found(name) is not None:
            yield
            return
        with locked(folder / f"{name}.lock"):
            yield

    def renew(self, signature: Any, target: Any) -> bool:
        """Mark the file with the code for these types as one that is in use; False if there is none."""
        path = self._found(self._file(signature, target))
        if path is None:
            return False
        with suppress(OSError):  # where others prepared it, in an image for example, they also look after it
            path.touch()
        return True

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for these types, or None."""
        target_context.refresh()
        self._began = time.perf_counter()
        path = self._found(self._file(sig, target_context))
        if path is None:
            return None
        payload = _read(path)
        if payload is None:
            log.warning("%s is damaged; the kernel is compiled again", path)
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(payload))  # noqa: S301, SLF001

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is a place for it, and tell that it was."""
        seconds = time.perf_counter() - self._began
        if data.library.has_dynamic_globals:
            raise TypeError(f"the kernel {self.kernel} holds addresses of this process, so its code can't be kept")
        folder = writable_folder()
        if folder is not None:
            _write(folder / self._file(sig, data.target_context), dumps(data._reduce()))  # noqa: SLF001 -- as numba does
        self._tell(str(sig), seconds)

    def enable(self) -> None:
        """It always is."""

    def disable(self) -> None:
        """It never is."""

    def flush(self) -> None:
        """Files of other sources have other names; nothing is stale."""

    def _tell(self, types: str, seconds: float) -> None:
        for listener in _listeners:
            listener(self.kernel, types, seconds)
        log.warning("compiled the kernel %s in %.1f s; `tailrace compile` does that before a run", self.kernel, seconds)

    def _file(self, signature: Any, target: Any) -> str:
        made_of = (stamp(self._module), str(signature), target.codegen().magic_tuple())
        digest = hashlib.sha256(repr(made_of).encode()).hexdigest()
        return f"{_NOT_IN_NAMES.sub('', self.kernel)}-{digest[:24]}"

    def _found(self, name: str) -> Path | None:
        return next((path for folder in folders() if is_trusted(path := folder / name)), None)


def _read(path: Path) -> bytes | None:
    content = path.read_bytes()
    is_whole = hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]
    return content[_DIGEST:] if is_whole else None


def _write(path: Path, payload: bytes) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns()}")
    try:
        new.touch(mode=0o644)
        new.write_bytes(hashlib.sha256(payload).digest() + payload)
        new.replace(path)
    except OSError as error:
        log.warning("the kernel %s can't be kept in %s: %s", path.name, path.parent, error)
        new.unlink(missing_ok=True)
