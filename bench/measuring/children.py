"""Processes of the benchmark's own that are asked and answer in lines, such as writers and readers."""

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
    """A process of ours that is asked and answers in lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: queue.Queue[str | None] = queue.Queue()  # None: it has ended
        threading.Thread(target=self._listen, daemon=True).start()

    def tell(self, order: dict[str, Any]) -> None:
        """Give an order; the answer is for later."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def ask(self, order: dict[str, Any], seconds: float) -> Any:
        """Give an order and wait for the answer, which takes about so long."""
        self.tell(order)
        return json.loads(self.answer(2 * seconds + 60))

    def answer(self, seconds: float) -> str:
        """The next line."""
        line = self._lines.get(timeout=seconds)
        if line is None:
            raise RuntimeError(f"{self._process.args} ended")
        return line

    def said(self, word: str) -> bool:
        """Whether a line is there and says that."""
        return not self._lines.empty() and self._lines.get() == word

    def last_words(self, seconds: float = 60) -> Any:
        """What it says when it is told that there is nothing more."""
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
    """Run a script with a job to read from a file; at the end of the block it is gone."""
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
    """How a child connects to the server."""
    mysql = servers.mysql
    return {
        "host": mysql.host,
        "port": mysql.port,
        "user": mysql.user,
        "password": mysql.password,
        "database": database,
    }
