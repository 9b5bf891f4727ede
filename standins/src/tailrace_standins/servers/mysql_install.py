"""Where a MySQL server program comes from: a variable, the path, a cached installation, Docker.

`find` takes the first that is there. The cached installation is made by `install_mysql.sh` on Debian and
Ubuntu, once for each user; a lock keeps two processes from making it at the same time.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

INSTALL_SCRIPT = Path(__file__).with_name("install_mysql.sh")
DOCKER_IMAGE = "mysql:9"
INSTALL_TIMEOUT = 600


class Unavailable(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """No MySQL server can be had on this machine; the message says what was tried."""


@dataclass(frozen=True, slots=True)
class Program:
    """A server program: the command that starts it, and the options that it needs to find its own files."""

    command: tuple[str, ...]
    options: tuple[str, ...] = ()
    image: str | None = None  # of Docker, instead of a program on this machine


def find() -> Program:
    """A server program, installed now where there is none; `Unavailable` says why not."""
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
    """Where tailrace keeps what it had to fetch."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "tailrace"


def _named(path: str) -> Program:
    if not _is_mysql(Path(path)):
        raise Unavailable(f"TAILRACE_MYSQLD={path} is not a MySQL server program")
    return _program(Path(path))


def _program(mysqld: Path) -> Program:
    """A program with its files beside it, as `install_mysql.sh` lays them out, needs to be told so."""
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
    """Whether it runs here and is not MariaDB."""
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
    with _locked(cache / "mysql.lock"):
        if not target.is_dir():
            _install(target)
    return target


def _install(target: Path) -> None:
    """Into a folder beside it first, so that the target is whole as soon as it is there."""
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


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _docker_answers() -> bool:
    if not shutil.which("docker"):
        return False
    try:
        subprocess.run(["docker", "info"], capture_output=True, check=True, timeout=20)  # noqa: S607
    except (OSError, subprocess.SubprocessError):
        return False
    return True
