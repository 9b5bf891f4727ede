"""What a session must be for a stream."""

from __future__ import annotations

from typing import Any

from tailrace.connectors.registry import SPECS
from tailrace.errors import ConfigError, UnsupportedError

_CONNECT = "pyspark.sql.connect."


def is_connect(spark: Any) -> bool:
    """Whether it is a session of Spark Connect, whose driver is another process, maybe on another machine."""
    return type(spark).__module__.startswith(_CONNECT)


def require_session(spark: Any) -> None:
    """Require a session that tailrace can run a job in.

    Raises:
        UnsupportedError: it is one of Spark Connect.
        ConfigError: it is none, or it was stopped.

    """
    if is_connect(spark):
        ways = " or ".join(f'spark.readStream.format("{spec.format}")' for spec in SPECS.values())
        raise UnsupportedError(
            "this is a session of Spark Connect, whose driver is elsewhere: a stream needs one beside it, as spark-submit and "
            f"classic clusters have. What works here is a DataFrame: {ways}"
        )
    context = getattr(spark, "sparkContext", None)
    if context is None:
        raise ConfigError(f"a stream needs a Spark session, and this is a {type(spark).__name__}")
    if getattr(context, "_jsc", None) is None or context._jsc.sc().isStopped():  # noqa: SLF001 -- PySpark does not tell
        raise ConfigError("the Spark session was stopped: make another one")


def is_local(spark: Any) -> bool:
    """Whether the tasks run in the session's own Java process."""
    master = str(spark.sparkContext.master)
    return master == "local" or master.startswith("local[")
