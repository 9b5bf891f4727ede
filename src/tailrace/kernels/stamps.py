"""What a kernel's code depends on: the texts of its module and of those that it imports.

numba's own cache knows the file that a function is in. But a kernel is made of functions of several modules, and of constants.
So a stamp is a digest over all of them: modules with compiled functions and what these import, and of others the text alone.
Contents count, not the times and places of files, so that an image, a wheel and a copy have the same stamps.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_IMPORTS: Final = re.compile(r"^from (tailrace\w*(?:\.\w+)*) import ([^(\n]+|\([^)]*\))", re.MULTILINE)
_KERNELS: Final = "tailrace.kernels"


@cache
def stamp(module: str) -> str:
    """The digest of what the kernels of a module depend on."""
    return digest(_sources(module))


def digest_of_stamps(modules: Iterable[str]) -> str:
    """The digest of what the kernels of all these modules depend on."""
    return hashlib.sha256("\0".join(f"{module} {stamp(module)}" for module in modules).encode()).hexdigest()[:16]


def digest(modules: Iterable[str]) -> str:
    """The digest of the texts of modules."""
    found = hashlib.sha256()
    for module in sorted(set(modules)):
        found.update(f"{module}\0{text_of(module)}\0".encode())
    return found.hexdigest()


@cache
def text_of(module: str) -> str:
    """The source text of a module, which is not imported; its parents neither, as they may take seconds.

    Raises:
        ModuleNotFoundError: there is no such module.

    """
    text = _text(module)
    if text is None:
        raise ModuleNotFoundError(f"no source of the module {module}", name=module)
    return text


def _sources(module: str) -> set[str]:
    found = {module}
    todo = [module]
    while todo:
        for imported in _imported(todo.pop()) - found:
            found.add(imported)
            if _KERNELS in text_of(imported):
                todo.append(imported)
    return found


@cache
def _imported(module: str) -> frozenset[str]:
    """Modules of tailrace that a module imports."""
    found = set()
    for origin, names in _IMPORTS.findall(text_of(module)):
        parts = [name.split()[0] for name in names.strip("()").split(",") if name.strip()]
        modules = [f"{origin}.{name}" for name in parts if _text(f"{origin}.{name}") is not None]
        found |= {origin, *modules}
    return frozenset(found)


@cache
def _text(module: str) -> str | None:
    """The text, or None; by the loader of the package that it is in, which may be an archive."""
    root, *inner = module.split(".")
    package = import_module(root)
    loader: Any = getattr(package.__spec__, "loader", None)
    file = package.__file__
    if file is None or not hasattr(loader, "get_data"):
        return None
    folder = Path(file).parent.joinpath(*inner)
    for path in (Path(file),) if not inner else (folder.with_suffix(".py"), folder / "__init__.py"):
        with suppress(OSError):
            return str(loader.get_data(str(path)), "utf-8")
    return None
