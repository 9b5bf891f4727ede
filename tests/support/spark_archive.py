"""Spark's Java starts fast: its classes are kept loaded in a file, and each session of the tests begins with that.

Class data sharing halves what a session and its first query cost: some five seconds of a core, and the suite starts a hundred of
them. The file belongs to one Java and one installation of Spark, and so lies in this environment. The first test with Spark makes
it; those meanwhile, and all where it can't be made, go on without.

    python spark_archive.py    a session and a streaming query, so that their classes are loaded
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import IO, Any

from tailrace.java import java_home

VARIABLE = "SPARK_SUBMIT_OPTS"  # Spark adds it to the options of a session's Java
QUIET = "-Xlog:disable"  # Java tells on its standard output which classes it leaves out
SECONDS = 300
LOG = logging.getLogger(__name__)


def use() -> None:
    """Have sessions that are started from now on use it, here and in child processes; make it where there is none."""
    archive = _archive()
    if archive is None or os.environ.get(VARIABLE):
        return
    if not archive.exists() and (lock := _locked(archive.with_suffix(".lock"))):
        with lock:
            _make(archive)
    if archive.exists():
        os.environ[VARIABLE] = f"{QUIET} -XX:SharedArchiveFile={archive}"


@cache
def _archive() -> Path | None:
    """Where it belongs; None where Java has no archive of its own classes, on which it builds, as trimmed runtimes have not."""
    import pyspark

    home = java_home()
    if home is None or not (home / "lib" / "server" / "classes.jsa").exists():
        return None
    release = home / "release"
    parts = (str(home), release.read_text() if release.exists() else "", pyspark.__file__, pyspark.__version__)
    return Path(sys.prefix) / f"spark-classes-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}.jsa"


def _locked(file: Path) -> IO[str] | None:
    """The file, locked until it is closed; None where another process is at it, or it can't be written."""
    try:
        lock = file.open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return lock


@cache  # a second attempt would fail as well
def _make(archive: Path) -> None:
    unfinished = archive.with_suffix(f".{os.getpid()}")
    environment = {**os.environ, VARIABLE: f"{QUIET} -XX:ArchiveClassesAtExit={unfinished}"}
    command = [sys.executable, __file__]
    try:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True)
        unfinished.replace(archive)
    except (OSError, subprocess.SubprocessError) as error:
        unfinished.unlink(missing_ok=True)
        LOG.warning("no archive of Spark's classes could be made: %s", error)


def _run_a_query() -> None:
    import tempfile

    from pyspark import SparkContext
    from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

    from tailrace.cli.session import start_session

    class Once(SimpleDataSourceStreamReader):
        def initialOffset(self) -> dict[str, int]:
            return {"n": 0}

        def read(self, start: dict[str, int]) -> tuple[Any, dict[str, int]]:
            return iter([(0,)] if start["n"] == 0 else []), {"n": 1}

        def readBetweenOffsets(self, start: dict[str, int], end: dict[str, int]) -> Any:
            return iter([(0,)])

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return "once"

        def schema(self) -> str:
            return "n bigint"

        def simpleStreamReader(self, schema: Any) -> Once:
            return Once()

    spark = start_session()
    spark.dataSource.register(Source)
    with tempfile.TemporaryDirectory() as folder:
        stream = spark.readStream.format("once").load().writeStream.format("noop")
        stream.option("checkpointLocation", folder).trigger(availableNow=True).start().awaitTermination()
    gateway: Any = SparkContext._gateway
    spark.stop()
    gateway.proc.stdin.close()  # Java ends in good order, and only then writes the file
    gateway.proc.wait()


if __name__ == "__main__":
    _run_a_query()
