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
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tailrace.errors import ConfigError, RetriableError
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


def try_worker(spark: SparkSession) -> None:
    """Let a task look at its Python, once a session.

    Raises:
        ConfigError: it lacks something; the message says what.
        RetriableError: no task runs at all.

    """
    application = spark.sparkContext.applicationId
    if application in _CACHED:
        return
    if is_local(spark):
        use_own_python(spark)
    seen = _look(spark)
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


def _look(spark: SparkSession) -> Mapping[str, str]:
    try:
        found: Mapping[str, str] = spark.sparkContext.parallelize([0], 1).map(_look_around()).collect()[0]
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
    return found


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
