"""A Spark session that starts fast and logs to a file."""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tailrace.cache import cache_folder, keep
from tailrace.cli.cluster import SparkSettings
from tailrace.cli.worker_python import own_environment, worker_python
from tailrace.errors import RetriableError, TailraceError
from tailrace.starting.session_java import OPTIONS, archive_of_session, how_started
from tailrace.streaming.clusters import is_this_machine
from tailrace.streaming.java_process import keep_quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log: Final = logging.getLogger(__name__)

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
    *,
    master: str = LOCAL,
    verbose: bool = False,
    java_options: Sequence[str] | None = None,
    settings: SparkSettings | None = None,
) -> SparkSession:
    """The session of the command line.

    Args:
        master: Spark's.
        verbose: whether Java's messages are shown, and how it got Spark's classes.
        java_options: in place of those that have it begin with an archive of Spark's classes.
        settings: what the command line says of Spark; it holds over what follows from here.

    """
    settings = settings or SparkSettings()
    archive = archive_of_session()
    is_here = is_this_machine(master)
    os.environ.setdefault("PYSPARK_PYTHON", settings.python or (worker_python() if is_here else sys.executable))
    if is_here:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    logged = f"-Dlog4j2.configurationFile=file:{_logging_file('warn' if verbose else 'off')}"
    if java_options is None:
        java_options = () if archive is None else archive.options()
    builder = SparkSession.builder.master(master).appName("tailrace")
    # what a user sets as spark.driver.extraJavaOptions comes after these, and holds
    options = {"spark.driver.defaultJavaOptions": " ".join([logged, *OPTIONS, *java_options])}
    ours = {**LEAN, **({} if is_here else ELSEWHERE), **options}
    settled = {name: value for name, value in ours.items() if name not in settings.in_file}
    for name, value in {**settled, **settings.conf}.items():
        builder = builder.config(name, value)
    with ExitStack() as while_starting:
        while_starting.enter_context(_reading(settings.properties_file))
        while_starting.enter_context(own_environment(settings.python))
        if not verbose:
            while_starting.enter_context(_errors_of_java_to(cache_folder() / "spark.log"))
        while_starting.enter_context(_masters_errors(master))
        found = builder.getOrCreate()
    if verbose:
        log.info(how_started(_pid_of_java(found), archive))
    else:
        keep_quiet(found)
    return found


def _pid_of_java(spark: SparkSession) -> int:
    jvm: Any = spark.sparkContext._jvm  # noqa: SLF001
    return int(jvm.java.lang.ProcessHandle.current().pid())


@contextmanager
def _masters_errors(master: str) -> Iterator[None]:
    """Say of a session that can't be made on a cluster what may be wrong; Java's own message is of a later moment."""
    try:
        yield
    except Exception as error:
        if master.startswith("local") or isinstance(error, TailraceError):
            raise
        raise RetriableError(
            f"there is no session with the master {master}: is it there, does it reach this machine, and does it have the same "
            "version of Spark, spark.authenticate.secret and encryption? --verbose shows what Spark says"
        ) from error


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
