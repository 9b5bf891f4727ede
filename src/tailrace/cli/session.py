"""A Spark session that starts fast and logs to a file."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.cache import cache_folder, keep
from tailrace.cli.cluster import SparkSettings
from tailrace.cli.worker_python import own_environment, worker_python
from tailrace.java import provide_java
from tailrace.streaming.clusters import is_this_machine
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
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
ELSEWHERE = {"spark.python.use.daemon": "true"}
"""A daemon ends an executor's Python processes with it, also where the executor is killed."""
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


def start_session(
    *, master: str = LOCAL, verbose: bool = False, settings: SparkSettings | None = None
) -> SparkSession:
    """The session of the command line, with what it says of Spark."""
    settings = settings or SparkSettings()
    provide_java()
    is_here = is_this_machine(master)
    own = worker_python() if is_here else sys.executable
    os.environ.setdefault("PYSPARK_PYTHON", settings.python or own)
    if is_here:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    logging = _logging_file("warn" if verbose else "off")
    builder = SparkSession.builder.master(master).appName("tailrace")
    options = f"-Dlog4j2.configurationFile=file:{logging} -XX:+UseSerialGC -Xss4m -XX:TieredStopAtLevel=1"
    lean = LEAN if is_here else {**LEAN, **ELSEWHERE}
    ours = {name: value for name, value in {**lean, JAVA_OPTIONS: options}.items() if name not in settings.in_file}
    for name, value in {**ours, **settings.conf}.items():
        builder = builder.config(name, value)
    with ExitStack() as while_starting:
        while_starting.enter_context(_reading(settings.properties_file))
        while_starting.enter_context(own_environment(settings.python))
        if not verbose:
            while_starting.enter_context(_errors_of_java_to(cache_folder() / "spark.log"))
        found = builder.getOrCreate()
    if not verbose:
        keep_quiet(found)
    return found


@contextmanager
def _reading(properties: Path | None) -> Iterator[None]:
    """Let Java, if it is started meanwhile, read a file of settings: what is in it is in no argument."""
    name = "PYSPARK_SUBMIT_ARGS"
    before = os.environ.get(name)
    if properties is not None:
        os.environ[name] = f"--properties-file {shlex.quote(str(properties.absolute()))} {before or 'pyspark-shell'}"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


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
