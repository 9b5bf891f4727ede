"""Runs a throwaway MySQL server: as a process of this machine, or in a Docker container."""

from __future__ import annotations

import shutil
import signal
import subprocess
import uuid
from pathlib import Path
from subprocess import DEVNULL
from typing import Protocol

from tailrace_standins.servers import mysql_data
from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.mysql_install import Program, Unavailable

STOP_TIMEOUT = 60


class Launcher(Protocol):
    """Starts and ends one server repeatedly on the same data directory."""

    def launch(self, options: list[str]) -> None:
        """Start it without waiting until it answers."""

    def terminate(self) -> None:
        """Shut it down cleanly and wait until it has ended."""

    def kill(self) -> None:
        """Kill it and wait until it has ended."""

    def running(self) -> bool:
        """Whether it is running."""

    def discard(self) -> None:
        """Remove its files from this machine."""

    def log_tail(self) -> str:
        """The last lines of the server's log, for messages."""


class LocalProcess:
    """A server process of this machine; if setpriv exists, it ends with the process that started it."""

    def __init__(self, program: Program, directory: Path, port: int, address: str = "") -> None:
        self._program = program
        self._directory = directory
        self._port = port
        self._addresses = ",".join(filter(None, ["127.0.0.1", address]))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """The server's Unix socket."""
        return self._directory / "mysql.sock"

    def launch(self, options: list[str]) -> None:
        """Start it; the first time it is given a data directory."""
        if not (self._directory / mysql_data.DATA / "mysql").is_dir():
            mysql_data.put_into(self._directory, self._program, options)
        command = [
            *mysql_data.command(self._program, self._directory),
            *options,
            f"--bind-address={self._addresses}",
            f"--port={self._port}",
            f"--socket={self.socket}",
            f"--pid-file={self._directory / 'pid'}",
        ]
        self._process = subprocess.Popen(  # noqa: S603
            [*dying_with_parent(), *command], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
        )

    def terminate(self) -> None:
        """Send SIGTERM, and SIGKILL if that takes too long."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """Send SIGKILL."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def running(self) -> bool:
        """Whether the process is running."""
        return self._process is not None and self._process.poll() is None

    def discard(self) -> None:
        """Remove the data directory."""
        shutil.rmtree(self._directory, ignore_errors=True)

    def log_tail(self) -> str:
        """The end of the error log."""
        return mysql_data.log_tail(self._directory)


class Container:
    """A server in a Docker container, its port mapped to this machine's loopback."""

    socket = None

    def __init__(self, image: str, port: int) -> None:
        self._image = image
        self._port = port
        self._name = f"tailrace-mysql-{uuid.uuid4().hex[:12]}"
        self._options: list[str] | None = None

    def launch(self, options: list[str]) -> None:
        """Run the image, or start the existing container if the options are the same."""
        if options == self._options:
            self._docker("start", self._name)
            return
        if self._options is not None:
            self._docker("rm", "--force", self._name)
        publish = f"127.0.0.1:{self._port}:3306"
        volume = f"{self._name}:/var/lib/mysql"
        password = "MYSQL_ALLOW_EMPTY_PASSWORD=yes"  # noqa: S105 -- there is none
        fixed = ["--name", self._name, "--env", password, "--publish", publish, "--volume", volume]
        self._docker("run", "--detach", *fixed, self._image, *options)
        self._options = options

    def terminate(self) -> None:
        """Stop the container."""
        self._docker("stop", self._name)

    def kill(self) -> None:
        """Kill the container."""
        self._docker("kill", self._name)

    def running(self) -> bool:
        """Whether Docker lists it as running."""
        state = self._docker("inspect", "--format", "{{.State.Running}}", self._name)
        return state.stdout.strip() == "true"

    def discard(self) -> None:
        """Remove the container and its volume."""
        subprocess.run(["docker", "rm", "--force", self._name], check=False, capture_output=True)  # noqa: S603, S607
        subprocess.run(["docker", "volume", "rm", self._name], check=False, capture_output=True)  # noqa: S603, S607

    def log_tail(self) -> str:
        """The end of the container's log."""
        return self._docker("logs", "--tail", "15", self._name).stderr

    def _docker(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(["docker", *arguments], check=False, capture_output=True, text=True)  # noqa: S603, S607
        if done.returncode:
            raise Unavailable(f"docker {arguments[0]} failed: {done.stderr.strip()}")
        return done
