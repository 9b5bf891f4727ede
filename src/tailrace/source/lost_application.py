"""A standalone cluster that has given the application up.

A driver that is cut off from the master for longer than about twice `spark.network.timeout` loses its connection. The master
then ends the application and its executors, and Spark's driver waits without end for a master that does not come back to it.
So it does where the master is restarted and remembers nothing. On YARN and Kubernetes the driver connects again by itself, or
is ended.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tailrace.errors import RetriableError, StoppedError
from tailrace.source.retry import in_time
from tailrace.source.slots import slots

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOK_SECONDS: Final = 10.0
ALONE_SECONDS: Final = 60.0  # without an executor, before the master is asked: it may start others
_MOST: Final = (1 << 31) - 1  # executors: what a standalone application may have from the start
_CLOSED: Final = "ClosedChannelException"  # of the connection to the master, which Spark makes only once
_log: Final = logging.getLogger(__name__)


class ApplicationWatch:
    """Looks now and then whether executors are there, and asks the master where there have been none for a minute."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._master = str(spark.sparkContext.master)
        self._looked_at = self._seen_at = time.monotonic()

    def look(self, stopping: Callable[[], bool]) -> None:
        """Return if the application may still get executors.

        Raises:
            RetriableError: its master does not know it any more.

        """
        now = time.monotonic()
        if not self._master.startswith("spark://") or now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        if slots(self._spark) > 0:
            self._seen_at = now
        elif now - self._seen_at >= ALONE_SECONDS and not self._is_known(stopping):
            raise RetriableError(
                f"Spark's master {self._master} has given this application up: the driver was cut off from it for long, or the "
                "master was restarted. There will be no more executors; start again, and delivery goes on from the last commit"
            )

    def _is_known(self, stopping: Callable[[], bool]) -> bool:
        """Whether the master knows the application; also while it does not answer, for it may do so later."""
        try:
            return in_time(self._ask_for_executors, stopping)
        except (Py4JError, PySparkException, StoppedError) as error:
            _log.info("Spark's master %s was asked for executors: %s", self._master, type(error).__name__)
            return _CLOSED not in str(error)

    def _ask_for_executors(self) -> bool:
        """Ask for as many as before, which changes nothing; false: the master does not know the application."""
        context: Any = self._spark.sparkContext
        scala = context._jsc.sc()  # noqa: SLF001 -- PySpark does not offer it
        if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true":
            return bool(scala.requestExecutors(1))  # Spark corrects the number as soon as there are some
        most = context.getConf().get("spark.executor.instances", "")
        none = context._jvm.scala.Predef.Map().empty()  # noqa: SLF001 -- no places are preferred
        return bool(scala.requestTotalExecutors(int(most) if most.isdigit() else _MOST, 0, none))
