"""Finds a MySQL server program: named by a variable, on the path, in a cached installation, or in Docker.

`find` takes the first that exists. `install_mysql.sh` makes the cached installation on Debian and Ubuntu, once for each user;
a lock keeps two processes from making it at the same time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tailrace_standins.servers.cached_folder import locked

INSTALL_SCRIPT = Path(__file__).with_name("install_mysql.sh")
DOCKER_IMAGE = "mysql:9"
INSTALL_TIMEOUT = 600


class Unavailable(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """No MySQL server is available on this machine; the message says what was tried."""


@dataclass(frozen=True, slots=True)
class Program:
    """A server program: its command, and the options that it needs to find its own files."""

    command: tuple[str, ...]
    options: tuple[str, ...] = ()
    image: str | None = None  # of Docker, instead of a program on this machine


def find() -> Program:
    """A server program; installs one if there is none. Raises `Unavailable`."""
    named = os.environ.get("TAILRACE_MYSQLD")
    if named:
        return _named(named)
    on_path = shutil.which("mysqld")
    if on_path and _is_mysql(Path(on_path)):
        return Program((on_path,))
    try:
        return _program(_cached() / "bin" / "mysqld")
    except Unavailable as reason:
        if _docker_answers():
            return Program((), image=DOCKER_IMAGE)
        raise Unavailable(
            "no MySQL server: TAILRACE_MYSQLD is not set, no mysqld is on the path, Docker does not answer, "
            f"and {reason}"
        ) from None


def cache_directory() -> Path:
    """The folder for tailrace's downloads."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "tailrace"


def _named(path: str) -> Program:
    if not _is_mysql(Path(path)):
        raise Unavailable(f"TAILRACE_MYSQLD={path} is not a MySQL server program")
    return _program(Path(path))


def _program(mysqld: Path) -> Program:
    """A program; if its files are beside it, as `install_mysql.sh` puts them, it needs options that name them."""
    root = mysqld.parent.parent / "root" / "usr"
    if not (root / "share" / "mysql").is_dir():
        return Program((str(mysqld),))
    share = root / "share" / "mysql"
    plugins = root / "lib" / "mysql" / "plugin"
    options = (
        f"--basedir={root}",
        f"--lc-messages-dir={share}",
        f"--character-sets-dir={share / 'charsets'}",
    )
    return Program((str(mysqld),), (*options, f"--plugin-dir={plugins}"))


def _is_mysql(path: Path) -> bool:
    """Whether the program runs on this machine and is not MariaDB."""
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=30)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    return "MariaDB" not in shown.stdout


def _cached() -> Path:
    cache = cache_directory()
    target = cache / "mysql"
    if target.is_dir():
        return target
    if not shutil.which("apt-get"):
        raise Unavailable("there is no apt-get to install one with")
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "mysql.lock"):
        if not target.is_dir():
            _install(target)
    return target


def _install(target: Path) -> None:
    """Install into a temporary folder and rename it, so that the target is complete as soon as it exists."""
    unfinished = target.with_name("mysql.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    command = ["sh", str(INSTALL_SCRIPT), str(unfinished)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_TIMEOUT)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise Unavailable(f"installing one took longer than {INSTALL_TIMEOUT} s") from None
    if done.returncode:
        last = "; ".join(done.stderr.strip().splitlines()[-3:])
        raise Unavailable(f"installing one failed: {last}")
    unfinished.rename(target)


def _docker_answers() -> bool:
    if not shutil.which("docker"):
        return False
    try:
        subprocess.run(["docker", "info"], capture_output=True, check=True, timeout=20)  # noqa: S607
    except (OSError, subprocess.SubprocessError):
        return False
    return True
