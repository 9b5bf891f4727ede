"""Data directories for throwaway MySQL servers: initialised once for a program and what must be said then, afterwards copied.

To initialise one takes a server seconds; to copy it, some tenths of one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL

from tailrace_standins.servers.cached_folder import made_once
from tailrace_standins.servers.mysql_install import Program, Unavailable, cache_directory

DATA = "data"
LOG = "error.log"
IDENTITY = "auto.cnf"  # the server's UUID, made at a start without it
QUICK = ("--innodb-flush-method=nosync", "--innodb-doublewrite=OFF")  # a machine that fails in between leaves no template
SAID_AT_INITIALISATION = ("--innodb-page-size", "--lower-case-table-names", "--innodb-redo-log", "--innodb-data-file-path")


def put_into(directory: Path, program: Program, options: Sequence[str]) -> None:
    """Make `directory`/data for a server with these options. Raises `Unavailable` with the end of its log."""
    said = [option for option in options if option.replace("_", "-").startswith(SAID_AT_INITIALISATION)]
    template = made_once(_place(program, said), lambda unfinished: _initialise(unfinished, program, said))
    shutil.copytree(template / DATA, directory / DATA)


def command(program: Program, directory: Path) -> list[str]:
    """The command of a server with its files in `directory`."""
    user = ["--user=root"] if os.geteuid() == 0 else []
    own = [f"--datadir={directory / DATA}", f"--log-error={directory / LOG}", "--secure-file-priv="]
    return [*program.command, "--no-defaults", *program.options, *user, *own]


def log_tail(directory: Path) -> str:
    """The end of the error log of a server with its files in `directory`."""
    log = directory / LOG
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:]) if log.exists() else ""


def _place(program: Program, said: Sequence[str]) -> Path:
    """Of the template: another one for another program, or a newer one at the same place."""
    found = Path(program.command[0]).stat()
    parts = (*program.command, *program.options, *said, f"{found.st_size} {found.st_mtime_ns}")
    return cache_directory() / "mysql-data" / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _initialise(directory: Path, program: Program, said: Sequence[str]) -> None:
    whole = [*command(program, directory), *QUICK, *said, "--initialize-insecure"]
    if subprocess.run(whole, check=False, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL).returncode:  # noqa: S603
        raise Unavailable(f"the MySQL server could not make its data directory:\n{log_tail(directory)}")
    (directory / DATA / IDENTITY).unlink()
