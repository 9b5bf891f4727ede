"""Module paths of objects that are imported only when used, because they may be heavy, or belong to another connector."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_object(path: str) -> Any:
    """The object that `package.module:name` names, or the module `package.module`; imported only now."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)
