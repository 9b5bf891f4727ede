"""A Java program that runs as a server: started, ended, killed, paused."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, STDOUT

from tailrace_standins.servers.child_process import dying_with_parent

STOP_TIMEOUT = 30
TAIL_LINES = 25


class JavaProcess:
    """A server that can be started repeatedly with the same command; its output is appended to a log file.

    If the machine has setpriv, it ends with the thread that called `launch`.
    """

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command = list(command)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id; 0 if it was never started."""
        return self._process.pid if self._process is not None else 0

    def launch(self) -> None:
        """Start it without waiting until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                [*dying_with_parent(), *self._command],
                stdin=DEVNULL,
                stdout=log,
                stderr=STDOUT,
                start_new_session=True,  # Ctrl-C is meant for the starter, which may still need the server to end well
            )

    def running(self) -> bool:
        """Whether it is running."""
        return self._process is not None and self._process.poll() is None

    def terminate(self) -> None:
        """Send SIGTERM, and SIGKILL if that takes too long."""
        if self._process is None or not self.running():
            return
        self._process.send_signal(signal.SIGCONT)  # a paused process would not handle SIGTERM
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Send SIGKILL and wait until it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def pause(self) -> None:
        """Pause it (SIGSTOP): its connections stay open, and nothing answers."""
        self._signal(signal.SIGSTOP)
        if self.running():
            os.waitpid(self.pid, os.WUNTRACED)  # until its last thread has stopped, another one may still answer

    def resume(self) -> None:
        """Resume it after `pause`."""
        self._signal(signal.SIGCONT)

    def log_tail(self) -> str:
        """The last lines of its output."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-TAIL_LINES:])

    def _signal(self, number: int) -> None:
        if self._process is not None and self.running():
            self._process.send_signal(number)
