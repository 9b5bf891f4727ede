"""Spark's Java process, which may end before the run does: somebody kills it, or the system, for want of memory."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from tailrace.errors import RetriableError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRACE_SECONDS: Final = 2.0  # its connections break before it has ended

log = logging.getLogger(__name__)


def why_lost(error: BaseException) -> RetriableError | None:
    """The error to tell instead of one of the bridge to Java, if that process has ended; None: it has not."""
    if not (isinstance(error, (ConnectionError, EOFError)) or type(error).__module__.startswith("py4j.")):
        return None
    process = _process()
    if process is None:
        return None
    try:
        status = process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    how = f"by {_name_of(-status)}" if status < 0 else f"with status {status}"
    return RetriableError(
        f"Spark's Java process has ended {how}: was it killed, or is the memory too small? Nothing is lost: the next run goes "
        "on from the last commit"
    )


def keep_quiet(spark: SparkSession) -> None:
    """Send what PySpark's server of accumulators says of a Java process that is gone to the log, not to the terminal."""
    server: Any = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: log.debug("Spark's accumulators are not told any more")


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has none
        return f"signal {number}"


def _process() -> subprocess.Popen[bytes] | None:
    """The Java process that this one has started."""
    pyspark = sys.modules.get("pyspark")
    gateway = None if pyspark is None else getattr(pyspark.SparkContext, "_gateway", None)
    found: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    return found
