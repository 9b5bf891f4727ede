"""Spark's Java, started without Spark's start scripts, and before anything else: it takes longest to be ready.

The scripts start a Java of their own to find out the command, which takes half a second. Here that is asked once, and the
command is remembered beside the archive of classes (`class_archive`), by whose name it goes. Only a plain installation is
started so: where environment variables or files configure Spark, its scripts are run each time, by pyspark.

The session's settings come later, from Python (`early_session`, or pyspark). Java ends when this process does, whose end of a
pipe it reads.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from attrs import define

from tailrace.starting.class_archive import ClassArchive
from tailrace.starting.early_session import EarlySession, EarlySessionError
from tailrace.trusted_files import is_trusted, write_trusted

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

_LAUNCHER: Final = "org.apache.spark.launcher.Main"
_SUBMIT: Final = ("org.apache.spark.deploy.SparkSubmit", "--conf")
_SHELL: Final = "pyspark-shell"
_OPTIONS: Final = "spark.driver.defaultJavaOptions"
_OPTIONS_HERE: Final = "@options@"
_COMMAND_BEGINS: Final = b"\0\n"
_CONFIGURING: Final = ("SPARK_", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY", "HADOOP_", "YARN_")
OF_SESSIONS: Final = {"SPARK_AUTH_SOCKET_TIMEOUT": "15", "SPARK_BUFFER_SIZE": "65536"}
"""What pyspark puts into the environment when it makes a context, and what it takes before that."""
_HARMLESS: Final = {"SPARK_LOCAL_IP", *OF_SESSIONS}
_HOME: Final = "SPARK_HOME"
DEFAULTS: Final = "spark-defaults.conf"
_FILES: Final = (DEFAULTS, "spark-env.sh")
_POLL_SECONDS: Final = 0.02
_END_SECONDS: Final = 2.0
_CLASS_PATH_HERE: Final = "@class-path@"
_CLASS_PATH: Final = "-cp"
_ALL_JARS: Final = f"{os.sep}*"

LEFT_OUT: Final = tuple(f"spark-{name}_" for name in ("mllib", "hive", "hive-thriftserver", "kubernetes", "yarn", "connect"))
"""How the jars begin that a session of this machine has no use for. Spark would load what they register: MLlib's functions
alone have it start Scala's reflection, which takes longer than the rest of the session."""


@define
class StartedJava:
    """A Java that is starting.

    Attributes:
        process: of it.
        has_session: whether it has made one.

    """

    process: subprocess.Popen[bytes]
    _folder: Path
    has_session: bool = False
    _session: EarlySession | None = None
    _known: tuple[int, str] | None = None
    _gateway: JavaGateway | None = None

    def begin_session(self, settings: Mapping[str, str]) -> bool:
        """Have it make a session, without waiting for that; False if it is not ready for that yet."""
        if self._session is None:
            if self._known is None and not self._told.exists():
                return False
            with suppress(EarlySessionError):  # pyspark makes it, and tells why not
                self._session = EarlySession.request(*self._connection(), settings)
        return True

    def has_answered(self) -> bool:
        """Whether it was asked for a session, and has made it or failed to."""
        return self._session is not None and self._session.has_answered()

    def can_serve(self, settings: Mapping[str, str]) -> bool:
        """Whether it can serve a session with these settings; waits for the one that it was asked for, if any.

        One that has begun another session, or has failed, can't: it makes no second one.
        """
        session = self._session
        if session is not None:
            self.has_session = session.settings == settings and session.is_made()
        return session is None or self.has_session

    def was_asked_for(self, settings: Mapping[str, str]) -> bool:
        """Whether it was asked for a session with these settings."""
        return self._session is not None and self._session.settings == settings

    def connect(self) -> JavaGateway | None:
        """The way to it, once it is ready; None if it has ended instead. The first call changes the environment meanwhile."""
        from py4j.protocol import Py4JError
        from pyspark.java_gateway import launch_gateway

        if self._gateway is not None:
            return self._gateway
        if not self._is_ready():
            self.discard()
            return None
        port, secret = self._connection()
        given = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
        os.environ.update(given)  # how pyspark is told of a Java that was started by others
        try:
            gateway = launch_gateway()
        except (Py4JError, OSError):  # it has ended meanwhile
            self.discard()
            return None
        finally:
            for name in given:
                del os.environ[name]
        gateway.proc = self.process
        self._gateway = gateway
        return gateway

    def hand_over(self) -> None:
        """Leave it to pyspark, which has a context on it: it ends by itself when this process does."""
        atexit.unregister(self.discard)

    def abandon(self) -> None:
        """Let it end, and let nothing of it stay; for a process that ends at once."""
        self.process.terminate()
        shutil.rmtree(self._folder, ignore_errors=True)

    def discard(self) -> None:
        """End it, in good order if it does so soon: Spark removes its folders then."""
        self.process.terminate()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self._session is not None:
            self._session.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        atexit.unregister(self.discard)

    def _is_ready(self) -> bool:
        """Wait until it is; False if it has ended instead."""
        while self._known is None and not self._told.exists():
            if self.process.poll() is not None:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    @property
    def _told(self) -> Path:
        return self._folder / "connection"

    def _connection(self) -> tuple[int, str]:
        """Its port and its secret, which is in a file no longer than needed."""
        from pyspark.serializers import UTF8Deserializer, read_int

        if self._known is None:
            with self._told.open("rb") as file:
                self._known = read_int(file), UTF8Deserializer().loads(file)
            shutil.rmtree(self._folder)
        return self._known


def is_plain(jars: Path) -> bool:
    """Whether nothing but the command line configures Spark, whose jars these are, and it is the one that pip installed."""
    harmless = _HARMLESS | ({_HOME} if is_installed(jars.parent) else set())
    return (
        os.name == "posix"
        and not any(name.startswith(_CONFIGURING) for name in os.environ if name not in harmless)
        and not any((jars.parent / "conf" / name).exists() for name in _FILES)
    )


def installed_spark() -> Path | None:
    """The folder of the pyspark that pip installed; None if there is none."""
    spec = find_spec("pyspark")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def is_installed(home: Path) -> bool:
    """Whether a folder is that, by whichever name."""
    installed = installed_spark()
    return installed is not None and installed.resolve() == home.resolve()


def start_java(archive: ClassArchive, jars: Path, options: Sequence[str], output: IO[bytes] | int) -> StartedJava | None:
    """Start Java; None where its command can't be found out.

    Args:
        archive: what the command is remembered with.
        jars: Spark's.
        options: of Java.
        output: for all that Java and its Pythons say.

    """
    command = _command(archive, jars)
    if command is None or not os.access(command[0], os.X_OK):
        return None
    place = command.index(_OPTIONS_HERE)
    at = f"{_OPTIONS}={_OPTIONS_HERE}"
    command[command.index(at)] = f"{_OPTIONS}={shlex.join(options)}"
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
    file, class_path = archive.path.with_suffix(".command"), archive.path.with_suffix(".classpath")
    remembered = _remembered(file) if is_trusted(file) and is_trusted(class_path) else None
    if remembered is not None:
        program = remembered[0] if os.access(remembered[0], os.X_OK) else str(archive.java)  # a cache may be copied elsewhere
        return [program, *(f"@{class_path}" if word == _CLASS_PATH_HERE else word for word in remembered[1:])]
    asked = _asked(archive.java, jars)
    if asked is None:
        return None
    place = asked.index(_CLASS_PATH)
    asked[place + 1] = _listed(asked[place + 1])
    if not write_trusted(class_path, _as_argument_file(_CLASS_PATH, asked[place + 1])):
        return asked
    asked[place : place + 2] = [_CLASS_PATH_HERE]  # not its path, as a cache may be copied elsewhere
    write_trusted(file, json.dumps(asked))
    return [f"@{class_path}" if word == _CLASS_PATH_HERE else word for word in asked]


def _remembered(file: Path) -> list[str] | None:
    """The words in a file; None where it is damaged, as after a crash of the machine."""
    try:
        found: Any = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    is_whole = isinstance(found, list) and found[-1:] == [_SHELL] and _OPTIONS_HERE in found and _CLASS_PATH_HERE in found
    return list(map(str, found)) if is_whole else None


def _listed(class_path: str) -> str:
    """A class path with its jars by name, without those of `LEFT_OUT`."""
    jars: list[str] = []
    for part in class_path.split(os.pathsep):
        if part.endswith(_ALL_JARS):
            jars += [str(jar) for jar in sorted(Path(part).parent.glob("*.jar")) if not jar.name.startswith(LEFT_OUT)]
        else:
            jars.append(part)
    return os.pathsep.join(jars)


def _as_argument_file(option: str, value: str) -> str:
    """What Java reads as an option and its value: hundreds of jars are too much for a command line."""
    escaped = value.replace("\\", r"\\").replace('"', r"\"")
    return f'{option} "{escaped}"\n'


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
    is_known = words.count(_OPTIONS_HERE) == 1 and words.count(_CLASS_PATH) == 1 and words[-1:] == [_SHELL]
    return words if is_known else None
