"""Starts the Java of a session on this machine, at once: it needs nothing of what is imported and read meanwhile."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tailrace.cache import emptied, keep_somewhere
from tailrace.cli.worker_python import use_worker_python
from tailrace.starting import direct_java
from tailrace.starting.direct_java import StartedJava, is_plain
from tailrace.starting.session_java import archive_of_session, options_beside, spark_jars

_LOGGING: Final = """\
status = off
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
rootLogger.level = {level}
rootLogger.appenderRef.console.ref = console
"""

_started: StartedJava | None = None
_taken: StartedJava | None = None


def start(*, verbose: bool = False, more: Sequence[str] | None = None) -> StartedJava | None:
    """Start Java for the session on this machine that is made next, if that has not been done; None: pyspark is to start it.

    Raises:
        ConfigError: there is no Java.

    """
    global _started  # noqa: PLW0603 -- for the session that comes next
    if _started is not None:
        return _started
    archive, jars = archive_of_session(), spark_jars()
    if archive is None or jars is None or not is_plain(jars) or has_java():
        return None
    use_worker_python()  # Java looks into its own environment
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    given = options(verbose=verbose, more=more, directly=True)
    if verbose:
        _started = direct_java.start_java(archive, jars, given, sys.stderr.fileno())
    else:
        with log_file().open("ab") as output:
            _started = direct_java.start_java(archive, jars, given, output)
    return _started


def options(*, verbose: bool, more: Sequence[str] | None, given: str = "", directly: bool = False) -> list[str]:
    """The options of a session's Java.

    Args:
        verbose: whether it logs.
        more: in place of the options that have it begin with an archive of Spark's classes.
        given: a user's, which come after these.
        directly: whether `direct_java` starts it.

    """
    if more is None:
        archive = archive_of_session(directly=directly)
        more = () if archive is None else archive.options()
    return [f"-Dlog4j2.configurationFile=file:{_logging_file('warn' if verbose else 'off')}", *options_beside(given), *more]


def take(*, verbose: bool, more: Sequence[str] | None) -> StartedJava | None:
    """What was started, or is started now; the next session gets another one."""
    global _started, _taken
    _taken, _started = start(verbose=verbose, more=more), None
    return _taken


def abandon() -> None:
    """End what was started, without waiting for it."""
    for each in (_started, _taken):
        if each is not None:
            each.abandon()


def is_started() -> bool:
    """Whether one has been started that no session has yet."""
    return _started is not None


def is_session_there() -> bool:
    """Whether one has been started that has made the session that it was asked for, or has failed to."""
    return _started is not None and _started.has_answered()


def log_file() -> Path:
    """The file for what Java says; it is emptied when a session starts."""
    return emptied("spark.log")


def has_java() -> bool:
    """Whether pyspark has a Java in this process already: it keeps one for all sessions."""
    pyspark = sys.modules.get("pyspark")
    return pyspark is not None and pyspark.SparkContext._gateway is not None  # noqa: SLF001


def _logging_file(level: str) -> Path:
    return keep_somewhere(f"log4j2-{level}.properties", _LOGGING.format(level=level))
