"""Checks that the demo's servers are installed: they are a separate distribution, `tailrace-standins`.

Installing tailrace installs no server. The demo's error message says how to install them: always from a checkout, by path. That
name is never looked up in a package registry, where anybody could register it.
"""

from __future__ import annotations

from importlib import import_module

from tailrace import __version__
from tailrace.errors import ConfigError

_PACKAGE = "tailrace_standins"
_WHAT_TO_DO = "from a checkout of tailrace, call `./run demo`, or `pip install . ./standins` and then `tailrace demo`"


def check_standins() -> None:
    """Raises `ConfigError` where the demo's servers are not installed, or are of another version than tailrace."""
    found = _version()
    if found is None:
        raise ConfigError(f"the demo's servers are not installed; they are no part of the package tailrace: {_WHAT_TO_DO}")
    if found != __version__:
        raise ConfigError(f"the demo's servers are of version {found}, tailrace is {__version__}: {_WHAT_TO_DO}")


def _version() -> str | None:
    """None also where a folder of that name is left that holds nothing but caches, as after `pip uninstall`."""
    try:
        package = import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != _PACKAGE:
            raise
        return None
    version: str | None = getattr(package, "__version__", None)
    return version
