"""Spark's Java, started without Spark's start scripts, and before anything else: it takes longest to be ready.

The scripts start a Java of their own to find out the command, which takes half a second. Here that is asked once, and the
command is remembered beside the archive of classes (`class_archive`), by whose name it goes. Only a plain installation is
started so: where environment variables or files configure Spark, its scripts are run each time, by pyspark.

The session's settings come later, from Python. Java ends when this process does, whose end of a pipe it reads.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from attrs import define

from tailrace.starting.class_archive import ClassArchive
from tailrace.starting.trusted_files import is_trusted, write_trusted

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

_LAUNCHER: Final = "org.apache.spark.launcher.Main"
_SUBMIT: Final = ("org.apache.spark.deploy.SparkSubmit", "--conf")
_SHELL: Final = "pyspark-shell"
_OPTIONS: Final = "spark.driver.defaultJavaOptions"
_OPTIONS_HERE: Final = "@options@"
_COMMAND_BEGINS: Final = b"\0\n"
_CONFIGURING: Final = ("SPARK_", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY", "HADOOP_", "YARN_")
_HARMLESS: Final = {"SPARK_LOCAL_IP"}
_POLL_SECONDS: Final = 0.02


@define
class StartedJava:
    """A Java that is starting.

    Attributes:
        process: of it.

    """

    process: subprocess.Popen[bytes]
    _folder: Path

    def connect(self) -> JavaGateway | None:
        """The way to it, once it is ready; None if it has ended instead."""
        from pyspark.java_gateway import launch_gateway
        from pyspark.serializers import UTF8Deserializer, read_int

        told = self._folder / "connection"
        while not told.exists():
            if self.process.poll() is not None:
                self.discard()
                return None
            time.sleep(_POLL_SECONDS)
        with told.open("rb") as file:
            given = {"PYSPARK_GATEWAY_PORT": str(read_int(file)), "PYSPARK_GATEWAY_SECRET": UTF8Deserializer().loads(file)}
        shutil.rmtree(self._folder)
        os.environ.update(given)  # how pyspark is told of a Java that was started by others
        try:
            gateway = launch_gateway()
        finally:
            for name in given:
                del os.environ[name]
        gateway.proc = self.process
        atexit.unregister(self.discard)
        return gateway

    def discard(self) -> None:
        """End it."""
        atexit.unregister(self.discard)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def is_plain() -> bool:
    """Whether nothing but the command line configures Spark, and it is the one that pip installed."""
    return os.name == "posix" and not any(
        name.startswith(_CONFIGURING) for name in os.environ if name not in _HARMLESS
    )


def start_java(archive: ClassArchive, jars: Path, options: Sequence[str], output: IO[bytes] | int) -> StartedJava | None:
    """Start Java; None where its command can't be found out.

    Args:
        archive: what the command is remembered with.
        jars: Spark's.
        options: of Java.
        output: for all that Java and its Pythons say.

    """
    command = _command(archive, jars)
    if command is None:
        return None
    place = command.index(_OPTIONS_HERE)
    at = f"{_OPTIONS}={_OPTIONS_HERE}"
    command[command.index(at)] = f"{_OPTIONS}={' '.join(options)}"
    command[place : place + 1] = options
    folder = Path(tempfile.mkdtemp(prefix="tailrace-java-"))
    environment = {
        **os.environ,
        "SPARK_HOME": str(jars.parent),
        "SPARK_CONNECT_MODE": "0",
        "PYTHONHASHSEED": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(folder / "connection"),
    }
    process = subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment, preexec_fn=_without_ctrl_c  # noqa: PLW1509
    )
    started = StartedJava(process, folder)
    atexit.register(started.discard)
    return started


def _without_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _command(archive: ClassArchive, jars: Path) -> list[str] | None:
    """Java's command, with a place for the options; asked for once."""
    file = archive.path.with_suffix(".command")
    if is_trusted(file):
        found: Any = json.loads(file.read_text())
        return [str(word) for word in found]
    asked = _asked(archive.java, jars)
    if asked is not None:
        write_trusted(file, json.dumps(asked))
    return asked


def _asked(java: Path, jars: Path) -> list[str] | None:
    """What Spark's launcher says."""
    given = [*_SUBMIT, f"{_OPTIONS}={_OPTIONS_HERE}", _SHELL]
    command = [str(java), "-Xmx128m", "-cp", f"{jars}/*", _LAUNCHER, *given]
    scala = next((jar.name.partition("_")[2].partition("-")[0] for jar in jars.glob("spark-core_*.jar")), "")
    environment = {**os.environ, "SPARK_HOME": str(jars.parent), "SPARK_SCALA_VERSION": scala}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    words = [os.fsdecode(word) for word in done.stdout.partition(_COMMAND_BEGINS)[2].split(b"\0")[:-1]]
    return words if words.count(_OPTIONS_HERE) == 1 and words[-1] == _SHELL else None
