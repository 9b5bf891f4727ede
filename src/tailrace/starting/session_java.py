"""The options of a session's Java, Spark's settings, and the archive of classes that belongs to them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tailrace.errors import ConfigError
from tailrace.java import provide_java
from tailrace.starting import class_archive, direct_java
from tailrace.starting.class_archive import ClassArchive

# a small heap that is collected by one thread; code is compiled once and lightly, as Spark's Java only plans
# new objects in 24 MB of first 64, however large the machine: it fills all that it is given, and what it has touched it keeps
OPTIONS: Final = ("-XX:+UseSerialGC", "-Xss4m", "-XX:TieredStopAtLevel=1", "-Xms64m", "-Xmn24m")
SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",  # some rows of figures are not worth a compiler
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "5",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.speculation": "false",
    "spark.python.use.daemon": "false",
}
_COLLECTOR: Final = re.compile(r"-XX:\+Use\w+GC\b")
_READ_BY_JAVA: Final = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PYSPARK_SUBMIT_ARGS", "SPARK_SUBMIT_OPTS")

MAKING: Final = "making an archive of Spark's classes, once on this machine, so that Spark starts in half the time"
MAKING_BY_SCRIPTS: Final = f"{MAKING} also with settings of its own or on a cluster"


def options_beside(given: str) -> tuple[str, ...]:
    """`OPTIONS` that go with a user's, `given` and in the environment: Java does not start with two collectors."""
    texts = (given, *(os.environ.get(name, "") for name in _READ_BY_JAVA), _defaults())
    other = any(_COLLECTOR.search(text) for text in texts)
    return tuple(option for option in OPTIONS if not (other and _COLLECTOR.match(option)))


def archive_of_session(*, directly: bool = True) -> ClassArchive | None:
    """The archive for the sessions of this environment; None where Java can't have one.

    Args:
        directly: whether `direct_java` starts Java, if nothing in the environment configures Spark; else Spark's scripts do.

    Raises:
        ConfigError: there is no Java.

    """
    java, jars = provide_java(), spark_jars()
    if jars is None or os.name != "posix":
        return None
    left_out = direct_java.LEFT_OUT if directly and direct_java.is_plain(jars) else None
    return class_archive.archive_of(java, jars, (*OPTIONS, *map("=".join, SETTINGS.items())), left_out)


def archive_is_missing(*, directly: bool = True) -> bool:
    """Whether `make_archive` would make one.

    Raises:
        ConfigError: there is no Java.

    """
    archive = archive_of_session(directly=directly)
    return archive is not None and not archive.is_there() and not class_archive.has_failed(archive)


def make_archive(say: Callable[[str], None], *, directly: bool = True) -> None:
    """Make the archive for the sessions of this environment if it is missing; says what it does, and why it could not.

    It takes some 15 s, once for each Java and pyspark. Sessions start without an archive too, in twice the time; so nothing
    is raised.
    """
    try:
        archive = archive_of_session(directly=directly) if archive_is_missing(directly=directly) else None
    except ConfigError as error:
        say(f"no archive of Spark's classes: {error}")
        return
    if archive is None:
        return
    why = class_archive.make(archive, lambda: say(MAKING if archive.is_direct else MAKING_BY_SCRIPTS))
    if why:
        say(f"no archive of Spark's classes: {why}")


def how_started(pid: int, archive: ClassArchive | None) -> str:
    """How a session's Java got Spark's classes, in words."""
    if archive is None:
        return "Spark's classes are loaded one by one: this Java can't keep them in an archive"
    if not archive.is_there():
        return f"Spark's classes are loaded one by one: there is no archive of them at {archive.path}"
    found = class_archive.in_use(pid, archive)
    if found is None:
        return f"Spark's classes: this system does not tell whether the archive {archive.path} is used"
    if not found:
        return f"Spark's classes are loaded one by one: Java does not accept the archive {archive.path}"
    return f"Spark's classes come from the archive {archive.path}"


def _defaults() -> str:
    """The text of the file with Spark's settings of this machine; empty if there is none."""
    jars = spark_jars()
    folder = os.environ.get("SPARK_CONF_DIR") or (str(jars.parent / "conf") if jars is not None else "")
    try:
        return Path(folder, direct_java.DEFAULTS).read_text(errors="replace")
    except OSError:
        return ""


def spark_jars() -> Path | None:
    """Spark's jars: of SPARK_HOME, else of the installed pyspark."""
    home = os.environ.get("SPARK_HOME", direct_java.installed_spark())
    jars = None if home is None else Path(home, "jars")
    return jars if jars is not None and jars.is_dir() else None
