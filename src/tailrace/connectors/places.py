"""Places: what is imported only where it is used, because it may be heavy, or another connector's."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_object(place: str) -> Any:
    """What `package.module:name` names, or the module that `package.module` does."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)
