"""A Spark session that starts fast and logs to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.cache import cache_folder, keep
from tailrace.cli.worker_python import worker_python
from tailrace.java import provide_java
from tailrace.streaming.java_process import keep_quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[2]"
LEAN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "5",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.speculation": "false",
    "spark.python.use.daemon": "false",
}
LOGGING = """\
status = off
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
rootLogger.level = {level}
rootLogger.appenderRef.console.ref = console
"""


def start_session(*, master: str = LOCAL, verbose: bool = False) -> SparkSession:
    """The session of the command line."""
    provide_java()
    os.environ.setdefault("PYSPARK_PYTHON", worker_python() if master.startswith("local") else sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    logging = _logging_file("warn" if verbose else "off")
    builder = SparkSession.builder.master(master).appName("tailrace")
    options = f"-Dlog4j2.configurationFile=file:{logging} -XX:+UseSerialGC -Xss4m -XX:TieredStopAtLevel=1"
    for name, value in {**LEAN, "spark.driver.extraJavaOptions": options}.items():
        builder = builder.config(name, value)
    if verbose:
        return builder.getOrCreate()
    with _errors_of_java_to(cache_folder() / "spark.log"):
        found = builder.getOrCreate()
    keep_quiet(found)
    return found


@contextmanager
def _errors_of_java_to(log: Path) -> Iterator[None]:
    """Send the standard error of processes started meanwhile, which is Java's and its workers', to a file."""
    sys.stderr.flush()
    own = os.dup(2)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.dup2(descriptor, 2)
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)
        os.close(descriptor)


def _logging_file(level: str) -> Path:
    return keep(cache_folder() / f"log4j2-{level}.properties", LOGGING.format(level=level))
