"""A Spark session that starts fast and logs to a file."""

from __future__ import annotations

import logging
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tailrace.cli import java_start
from tailrace.cli.cluster import SparkSettings
from tailrace.cli.early_start import PRELOADED
from tailrace.cli.session_settings import LOCAL, OF_THIS_PROCESS, own_settings
from tailrace.cli.worker_python import own_environment, use_worker_python
from tailrace.errors import RetriableError, TailraceError
from tailrace.starting import fork_server_owner
from tailrace.starting.direct_java import StartedJava
from tailrace.starting.session_java import archive_of_session, how_started
from tailrace.streaming.clusters import is_this_machine
from tailrace.streaming.java_process import keep_quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log: Final = logging.getLogger(__name__)


def start_session(
    *,
    master: str = LOCAL,
    verbose: bool = False,
    java_options: Sequence[str] | None = None,
    settings: SparkSettings | None = None,
    by_scripts: bool = False,
) -> SparkSession:
    """The session of the command line.

    Args:
        master: Spark's.
        verbose: whether Java's messages are shown, and how it got Spark's classes.
        java_options: in place of those that have it begin with an archive of Spark's classes.
        settings: what the command line says of Spark; it holds over what follows from here.
        by_scripts: whether Spark's scripts start Java, also where they need not.

    """
    settings = settings or SparkSettings()
    directly = not by_scripts and starts_directly(master, settings)
    is_here = is_this_machine(master)
    ours = own_settings(master, is_here=is_here)
    java = None
    if is_here:
        fork_server_owner.provide([PRELOADED])
        if directly:
            java = java_start.take(verbose=verbose, more=java_options)
            if java is not None and not java.can_serve(ours):
                was_asked = java.was_asked_for(ours)
                java.discard()
                # Java that could not make this session may lack something that Spark's scripts give it
                java = None if was_asked else java_start.take(verbose=verbose, more=java_options)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if settings.python is not None or not is_here:
        os.environ.setdefault("PYSPARK_PYTHON", settings.python or sys.executable)
    else:
        use_worker_python()
    archive = archive_of_session(directly=java is not None) if verbose else None
    if java is None or not _connected(java, ours):
        # what a user sets as spark.driver.extraJavaOptions comes after these, and holds
        options = java_start.options(verbose=verbose, more=java_options, given=settings.java_options)
        ours["spark.driver.defaultJavaOptions"] = shlex.join(options)
    settled = {name: value for name, value in ours.items() if name not in settings.in_file}
    found = _made({**settled, **settings.conf}, settings, verbose=verbose)
    if verbose:
        log.info(how_started(_pid_of_java(found), archive))
    else:
        keep_quiet(found)
    return found


def starts_directly(master: str, settings: SparkSettings) -> bool:
    """Whether Java is started without Spark's scripts, if nothing in the environment configures it."""
    return master.startswith(OF_THIS_PROCESS) and not (settings.conf or settings.properties_file)  # which may be of Java


def _connected(java: StartedJava, ours: Mapping[str, str]) -> bool:
    """Make the context on a Java that was started, or take the one that it has made; False if it has ended."""
    gateway = java.connect()
    if gateway is None:
        log.warning("Spark's Java has ended with status %s; pyspark starts another one", java.process.returncode)
        return False
    from pyspark import SparkConf, SparkContext

    conf = SparkConf().setAll(list(ours.items()))
    made = gateway.jvm.JavaSparkContext(gateway.jvm.org.apache.spark.SparkContext.getOrCreate()) if java.has_session else None
    on_interrupt = signal.getsignal(signal.SIGINT)
    SparkContext(conf=conf, gateway=gateway, jsc=made)
    java.hand_over()
    signal.signal(signal.SIGINT, on_interrupt)  # Spark's own would talk to Java in the middle of another call
    return True


def _made(conf: Mapping[str, str], settings: SparkSettings, *, verbose: bool) -> SparkSession:
    """The session; on the context that is there already, or with one, and a Java, of its own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for name, value in conf.items():
        builder = builder.config(name, value)
    with ExitStack() as while_starting:
        while_starting.enter_context(_reading(settings.properties_file))
        while_starting.enter_context(own_environment(settings.python))
        if not (verbose or java_start.has_java()):
            while_starting.enter_context(_errors_of_java_to(java_start.log_file()))
        while_starting.enter_context(_masters_errors(conf["spark.master"]))
        return builder.getOrCreate()


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
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)
