"""The benchmark's own child processes, such as writers and readers, which get commands and answer in lines."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.measuring.servers import Servers


class Child:
    """A child process that gets commands and answers in lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: queue.Queue[str | None] = queue.Queue()  # None: it has ended
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, order: dict[str, Any]) -> None:
        """Send a command without waiting for the answer."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def ask(self, order: dict[str, Any], seconds: float) -> Any:
        """Send a command and wait for the answer, which takes about `seconds`."""
        self.send(order)
        return json.loads(self.answer(2 * seconds + 60))

    def answer(self, seconds: float) -> str:
        """The next line of output."""
        line = self._lines.get(timeout=seconds)
        if line is None:
            raise RuntimeError(f"{self._process.args} ended")
        return line

    def has_said(self, word: str) -> bool:
        """Whether the next line is there and is this word."""
        return not self._lines.empty() and self._lines.get() == word

    def last_words(self, seconds: float = 60) -> Any:
        """Close its input and return its final answer."""
        assert self._process.stdin
        self._process.stdin.close()
        return json.loads(self.answer(seconds))

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


@contextmanager
def child(script: Path, job: dict[str, Any], folder: Path) -> Iterator[Child]:
    """A context with a script that reads its job from a file; at its end the process has ended."""
    file = folder / f"{script.name}.json"
    file.write_text(json.dumps(job))
    command = [sys.executable, str(script), str(file)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Child(process)
    finally:
        process.kill()
        process.wait()


def login(servers: Servers, database: str) -> dict[str, Any]:
    """The connection options of the server, for a child process."""
    mysql = servers.mysql
    return {
        "host": mysql.host,
        "port": mysql.port,
        "user": mysql.user,
        "password": mysql.password,
        "database": database,
    }
