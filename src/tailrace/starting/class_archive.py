"""An archive of Spark's classes, with which Java starts in less than half the time: it need not load and check them again.

Java writes it at the end of a session that was started for it (`cli/archive_training.py`), and maps it into later ones: a class
data archive (Java 17 and newer), or an ahead-of-time cache (Java 25 and newer, which needs no archive of its own classes). It
fits one Java, one installation of pyspark and one set of options, and is named after them. Java itself checks that again, and
starts without it when it does not fit; `in_use` tells which of the two has happened.

Java runs what is in it: only a file that belongs to this user, in a folder that nobody else can write to, is ever used.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from attrs import frozen

from tailrace.cache import cache_folder
from tailrace.java import home_of, major_version
from tailrace.starting.fork_server import die_with
from tailrace.trusted_files import is_trusted, trusted_folder

FOLDER: Final = "spark-classes"
CACHE_SINCE: Final = 25  # Java's ahead-of-time cache in one step
UNUSED_DAYS: Final = 30  # an archive that no session began with for so long is removed when another one is made
SECONDS: Final = 300
_DAY: Final = 86_400
_MODULE: Final = "tailrace.cli.archive_training"
_SUFFIXES: Final = {".aot", ".jsa"}
BY_SCRIPTS: Final = "--by-scripts"


@frozen
class ClassArchive:
    """The archive that belongs to one Java, one pyspark and some options; whether it exists is another question.

    Attributes:
        path: of the file.
        java: the program.
        is_direct: whether it is for a Java that `direct_java` starts, with fewer jars than Spark's scripts give it.

    """

    path: Path
    java: Path
    is_direct: bool = True

    @property
    def is_cache(self) -> bool:
        """Whether it is an ahead-of-time cache."""
        return self.path.suffix == ".aot"

    def is_there(self) -> bool:
        """Whether it is there, and nobody else can have written it."""
        return is_trusted(self.path)

    def options(self) -> tuple[str, ...]:
        """The options of a Java that begins with it; none where it is missing. Such an archive counts as used."""
        if not self.is_there():
            return ()
        with suppress(OSError):  # on a file system that is only read, such as an image
            os.utime(self.path)
        return (f"-XX:{'AOTCache' if self.is_cache else 'SharedArchiveFile'}={self.path}", *_IN_PLACE, *_TOLD)

    def options_to_make(self, unfinished: Path) -> tuple[str, ...]:
        """The options of a Java that writes it at its end."""
        return (f"-XX:{'AOTCacheOutput' if self.is_cache else 'ArchiveClassesAtExit'}={unfinished}", _QUIET)


# At the addresses that it was made for: newer builds of Java move it, and so read and rewrite each page before anything else.
_IN_PLACE: Final = ("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")
_QUIET: Final = "-Xlog:disable"  # of thousands of classes that Java leaves out
_TOLD: Final = (_QUIET, "-Xlog:all=warning:stderr")  # warnings would go to standard output, which is for events


def archive_of(
    java: Path, jars: Path, options: Sequence[str], left_out: Sequence[str] | None = None
) -> ClassArchive | None:
    """The archive for a Java program, Spark's folder of jars, and the options of the session's Java and its settings.

    `left_out` says which jars are not used; None for what Spark's scripts start.

    None where this Java can't have one: it has no archive of its own classes to build on, as trimmed runtimes have not.
    """
    home = home_of(java)
    version = major_version(home)
    is_cache = version >= CACHE_SINCE
    if not (is_cache or (home / "lib" / "server" / "classes.jsa").exists()):
        return None
    release = home / "release"
    parts = [str(home), release.read_text() if release.exists() else "", str(jars), *options, *(left_out or ())]
    for jar in sorted(jars.glob("*.jar")):
        found = jar.stat()
        parts.append(f"{jar.name} {found.st_size} {int(found.st_mtime)}")  # an image that is pulled has whole seconds
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return ClassArchive(cache_folder() / FOLDER / f"{name}.{'aot' if is_cache else 'jsa'}", java, left_out is not None)


def make(archive: ClassArchive, begins: Callable[[], None], *, seconds: float = SECONDS) -> str:
    """Make it, which takes some 15 seconds of a core; returns why there is none, or an empty text.

    Where another process is at it, that one makes it, and this one does not wait. A failure is remembered for a day, so
    that not every run tries again. `begins` is called before the work.
    """
    try:
        trusted_folder(archive.path.parent)
        with _locked(archive.path.with_suffix(".lock")) as is_ours:
            if not is_ours or archive.is_there():
                return ""
            begins()
            return _made(archive, seconds)
    except OSError as error:
        return f"{error.filename or archive.path.parent}: {error.strerror or error}"


def has_failed(archive: ClassArchive) -> bool:
    """Whether an attempt failed within the last day; the file that tells so can be removed to have it tried again at once."""
    try:
        return _failure(archive).stat().st_mtime > time.time() - _DAY
    except OSError:
        return False


def in_use(pid: int, archive: ClassArchive) -> bool | None:
    """Whether a Java process has mapped the archive; None where the system does not tell."""
    try:
        return str(archive.path) in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return None


def _made(archive: ClassArchive, seconds: float) -> str:
    name = f"unfinished-{archive.path.stem}-"
    for left in archive.path.parent.glob(f"{name}*"):  # of one that was ended while it held the lock
        left.unlink(missing_ok=True)
    unfinished = archive.path.with_name(f"{name}{os.getpid()}{archive.path.suffix}")
    command = [sys.executable, "-m", _MODULE, *([] if archive.is_direct else [BY_SCRIPTS])]
    command += archive.options_to_make(unfinished)
    try:
        done = subprocess.run(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            preexec_fn=_ending_with(os.getpid()),
        )
        if done.returncode or not unfinished.exists():
            return _failed(archive, done.stderr)
        unfinished.chmod(0o600)
        unfinished.replace(archive.path)
    except subprocess.TimeoutExpired:
        return _failed(archive, f"not ready within {seconds:g} s")
    finally:
        unfinished.unlink(missing_ok=True)
    _failure(archive).unlink(missing_ok=True)
    _remove_unused(archive)
    return ""


def _ending_with(owner: int) -> Callable[[], None] | None:
    """What a new process does first so that it ends when its owner does, and its Java with it; None where systems can't."""
    return partial(die_with, owner) if sys.platform == "linux" else None


def _failed(archive: ClassArchive, said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip() and not line[0].isspace()]  # not those of a stack
    _failure(archive).write_text(said)
    return f"{lines[-1] if lines else 'Java has not written it'} ({_failure(archive)} has more; remove that file to try again)"


def _failure(archive: ClassArchive) -> Path:
    return archive.path.with_suffix(".failed")


def _remove_unused(kept: ClassArchive) -> None:
    """Remove what no session has used for long, and what was left unfinished."""
    oldest = time.time() - UNUSED_DAYS * _DAY
    times = {file: file.lstat().st_mtime for file in kept.path.parent.iterdir()}
    used = {kept.path.stem, *(file.stem for file, when in times.items() if file.suffix in _SUFFIXES and when >= oldest)}
    for file, when in times.items():  # a session that begins with an archive touches only that, of the files of its name
        is_unfinished = file.name.startswith("unfinished-")
        if when < (time.time() - SECONDS if is_unfinished else oldest) and (is_unfinished or file.stem not in used):
            file.unlink(missing_ok=True)


@contextmanager
def _locked(file: Path) -> Iterator[bool]:
    """The file, locked for the block; gives False where another process has it."""
    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
