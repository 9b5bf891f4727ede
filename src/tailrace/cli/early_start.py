"""What `tailrace run` begins before it reads its configuration: Spark's Java, which takes longest, and the imports meanwhile.

A run that ends before it needs Java, because its configuration or a password is wrong, ends Java too.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tailrace.cli import java_start
from tailrace.errors import ConfigError
from tailrace.starting import fork_server_owner
from tailrace.starting.fork_server_owner import SINGLE_THREADED
from tailrace.starting.session_java import archive_is_missing

OF_THIS_PROCESS = "local["  # how masters begin whose tasks are in the process of the driver's Java
PRELOADED = "tailrace.source.preloaded"  # what the Pythons that Spark starts import


def begin(config: Path, *, master: str | None, verbose: bool) -> None:
    """Start Java and the fork server of a run on this machine; elsewhere, and where that fails, `start_session` does it all."""
    if master is not None and not master.startswith(OF_THIS_PROCESS):
        return
    server = fork_server_owner.announce()
    with suppress(ConfigError):  # there is no Java, of which the session tells in its turn
        if not archive_is_missing():  # else that is made first
            java_start.start(verbose=verbose)
    if server is not None:
        _import_for(config)
        server.fork()


def _import_for(config: Path) -> None:
    """Import what Spark's Pythons will need, and this process too: what is imported before a fork is imported once."""
    before = {name: os.environ.get(name) for name in SINGLE_THREADED}
    os.environ.update(SINGLE_THREADED)  # read when a library is loaded; others are not to inherit it
    try:
        for module in (PRELOADED, *_of_connector(config)):
            import_module(module)
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _of_connector(config: Path) -> list[str]:
    """The modules of the connector that the file names, as far as that can be told without reading it."""
    from tailrace.cli.beginning import named_in

    return [module for spec in named_in([str(config)]) for module in (spec.connector.partition(":")[0], spec.streaming)]
