"""Whether Spark's Python workers have what tailrace needs: tried once a session, by a task that looks around.

Spark starts workers with `python3` of the path, unless `PYSPARK_PYTHON` or `spark.pyspark.python` says otherwise. A script that
an environment's Python runs then has workers of another Python. Where the tasks run in the session's own process, that can
still be set right.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tailrace.errors import ConfigError, RetriableError, StoppedError
from tailrace.source.retry import in_time
from tailrace.source.slots import WAIT_SECONDS
from tailrace.streaming.session_checks import is_local
from tailrace.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CACHED: Final[set[str]] = set()
"""Applications whose workers were tried."""
_NO_PROGRAM: Final = re.compile(r'Cannot run program "(?P<program>[^"]+)"')
_VERSIONS: Final = re.compile(r"different version: (?P<worker>[\d.]+) than that in driver:? (?P<driver>[\d.]+)")
_REMEDY: Final = (
    "before the session is made, set PYSPARK_PYTHON (or spark.pyspark.python) to the program of a Python that has tailrace, on "
    "each machine"
)


def try_worker(
    spark: SparkSession, stop_requested: Callable[[], bool] = lambda: False, *, seconds: float = WAIT_SECONDS
) -> None:
    """Let a task look at its Python, once a session.

    Args:
        spark: the session; on a cluster its executors may still be coming.
        stop_requested: ends the wait for one.
        seconds: how long to wait for one.

    Raises:
        ConfigError: it lacks something; the message says what. Or there is no executor.
        RetriableError: no task runs at all.
        StoppedError: a stop was requested meanwhile.

    """
    application = spark.sparkContext.applicationId
    if application in _CACHED:
        return
    if is_local(spark):
        use_own_python(spark)
    seen = _look(spark, stop_requested, seconds)
    where = f"Spark's workers run {seen['program']} (Python {seen['python']}) on {seen['host']}"
    if "missing" in seen:
        raise ConfigError(f"{where}, which has no module {seen['missing']}: {_REMEDY}")
    if seen["tailrace"] != __version__:
        raise ConfigError(
            f"{where}, which has tailrace {seen['tailrace']}, and this is {__version__}: install the same version there"
        )
    _CACHED.add(application)


def use_own_python(spark: SparkSession) -> None:
    """Let the workers of a local session run this program's Python, unless the user has named one."""
    context: Any = spark.sparkContext
    if "PYSPARK_PYTHON" not in os.environ and not context.getConf().contains("spark.pyspark.python"):
        context.pythonExec = sys.executable


def _look(spark: SparkSession, stop_requested: Callable[[], bool], seconds: float) -> Mapping[str, str]:
    from pyspark import inheritable_thread_target

    context: Any = spark.sparkContext
    group, deadline = f"tailrace-{uuid.uuid4().hex}", time.monotonic() + seconds

    def look() -> Mapping[str, str]:
        context.setJobGroup(group, "tailrace looks at a worker's Python")
        found: Mapping[str, str] = context.parallelize([0], 1).map(_look_around()).collect()[0]
        return found

    try:  # without an executor Spark would wait for ever
        return in_time(inheritable_thread_target(look), lambda: stop_requested() or time.monotonic() > deadline)
    except StoppedError:
        context.cancelJobGroup(group)
        if stop_requested():
            raise StoppedError("stopped as asked, while waiting for executors") from None
        raise ConfigError(
            f"no executor has taken a task within {seconds:g} s ({context.master}): the cluster needs a worker "
            "with a free core, and memory for spark.executor.memory with its overhead"
        ) from None
    except Exception as error:
        text = str(error)
        if no_program := _NO_PROGRAM.search(text):
            raise ConfigError(f"Spark's workers can't run {no_program['program']!r}: {_REMEDY}") from error
        if versions := _VERSIONS.search(text):
            raise ConfigError(
                f"Spark's workers run Python {versions['worker']}, and this is {platform.python_version()}: {_REMEDY}"
            ) from error
        raise RetriableError(
            f"a task that only looks at its Python fails: {next(iter(text.splitlines()), type(error).__name__)}"
        ) from error


def _look_around() -> Callable[[int], Mapping[str, str]]:
    """A function that Spark sends by value, as it is no module's: the worker may have no tailrace to take it from."""

    def look(_: int) -> Mapping[str, str]:
        import platform
        import sys
        from importlib import import_module

        seen = {"program": sys.executable, "python": platform.python_version(), "host": platform.node()}
        try:
            from tailrace.version import __version__ as version

            import_module("tailrace.source.delivery")  # with all that tasks need
        except ImportError as error:
            return {**seen, "missing": error.name or str(error)}
        return {**seen, "tailrace": version}

    return look
