"""A Java program that runs as a server: started, ended, killed and held still."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, STDOUT

from tailrace_standins.servers.child_process import dying_with_parent

STOP_TIMEOUT = 30
TAIL_LINES = 25


class JavaProcess:
    """One server, started again and again with the same command; its output goes to the end of a log file.

    It dies with the thread that called `launch`, where the machine has setpriv.
    """

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command = list(command)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id; 0 when it was never started."""
        return self._process.pid if self._process is not None else 0

    def launch(self) -> None:
        """Start it; it may not answer yet."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                [*dying_with_parent(), *self._command],
                stdin=DEVNULL,
                stdout=log,
                stderr=STDOUT,
                start_new_session=True,  # Ctrl-C is for the one who started it, who may still need it
            )

    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process is not None and self._process.poll() is None

    def terminate(self) -> None:
        """SIGTERM; SIGKILL when that takes too long."""
        if self._process is None or not self.running():
            return
        self._process.send_signal(signal.SIGCONT)  # one that is held still would not see the other
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def pause(self) -> None:
        """Hold it still: its connections stay open, and nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def log_tail(self) -> str:
        """The last lines that it wrote."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-TAIL_LINES:])

    def _signal(self, number: int) -> None:
        if self._process is not None and self.running():
            self._process.send_signal(number)
