"""How many tasks Spark can run at once, and whether that is enough for the lanes of a job.

A cluster's executors register some seconds after the session is there, and Spark's `defaultParallelism` means little before.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tailrace.errors import ConfigError, StoppedError
from tailrace.source.job import Job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAIT_SECONDS: Final = 90.0  # for the executors that are wanted; a cloud may have to start a machine
POLL_SECONDS: Final = 0.5
_LOCAL: Final = re.compile(r"local(\[.*\])?")
_NO_LIMIT: Final = 1 << 30

Notice = Callable[[str], None]


def slots(spark: SparkSession) -> int:
    """How many tasks can run at once with the executors that are there."""
    context: Any = spark.sparkContext
    if not _LOCAL.fullmatch(str(context.master)):
        with suppress(Exception):  # a method that is Spark's own, and that a platform may not have
            scala = context._jsc.sc()  # noqa: SLF001 -- PySpark does not tell
            return int(scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile()))
    return int(context.defaultParallelism)


def allocated_slots(spark: SparkSession) -> int | None:
    """How many tasks can run at once with all executors that dynamic allocation may ask for; None if it is off."""
    conf: Any = spark.sparkContext.getConf()
    if conf.get("spark.dynamicAllocation.enabled", "false") != "true":
        return None
    most = conf.get("spark.dynamicAllocation.maxExecutors", "infinity")
    executors = int(most) if most.isdigit() else _NO_LIMIT
    return executors * (int(conf.get("spark.executor.cores", "1")) // int(conf.get("spark.task.cpus", "1")))


def require_slots(
    spark: SparkSession,
    job: Job,
    notice: Notice,
    stop_requested: Callable[[], bool],
    *,
    others: int = 0,
    seconds: float = WAIT_SECONDS,
) -> None:
    """Require a core for each lane: a lane without one would wait for another's turn; bounded turns need not.

    Args:
        spark: the session; on a cluster its executors may still be coming.
        job: the job.
        notice: is told of a wait.
        stop_requested: ends the wait.
        others: cores that the session's other streams hold.
        seconds: how long to wait for executors.

    Raises:
        ConfigError: there are not enough.
        StoppedError: a stop was requested meanwhile.

    """
    wanted = job.lanes + others
    most = allocated_slots(spark)
    if most is not None:  # a waiting task brings its executor
        if most < wanted:
            raise ConfigError(
                f"{_wish(job, others)}, and dynamic allocation stops at {most} (spark.dynamicAllocation.maxExecutors times "
                "spark.executor.cores): raise one of them, or lower tasks.max"
            )
        return
    deadline, told = time.monotonic() + (0 if _is_local(spark) else seconds), False
    while (found := slots(spark)) < wanted:
        if time.monotonic() >= deadline:
            raise ConfigError(
                f"{_wish(job, others)}, and Spark has {found} cores ({spark.sparkContext.master}): give it more "
                "(--master local[N]; on a cluster more executors, or spark.executor.cores), or lower tasks.max"
            )
        if stop_requested():
            raise StoppedError("stopped as asked, while waiting for executors")
        if not told:
            notice(f"waiting for executors: {wanted} cores are wanted, and {found} are there so far")
            told = True
        time.sleep(POLL_SECONDS)


def _wish(job: Job, others: int) -> str:
    beside = f", beside {others} of the session's other streams" if others else ""
    return f"tasks.max={job.lanes} wants {job.lanes} tasks at once{beside}"


def _is_local(spark: SparkSession) -> bool:
    return _LOCAL.fullmatch(str(spark.sparkContext.master)) is not None
