"""A driver in a process of its own: it reads jobs from its input and writes results, a line of JSON each."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from tailrace_standins.servers.child_process import dying_with_parent


class DriverChild:
    """A process with a driver.

    Args:
        name: of the driver, for messages.
        command: a Python script and its arguments.
        error: makes what is raised of an answer with an `error`.
        patience: seconds to wait for an answer.

    """

    def __init__(
        self, name: str, command: list[str], error: Callable[[dict[str, Any]], Exception], patience: float
    ) -> None:
        self._name = name
        self._error = error
        self._patience = patience
        self._process = subprocess.Popen(
            [*dying_with_parent(), sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._process.communicate(timeout=10)
        finally:
            self._process.kill()

    def ask(self, job: str, *arguments: Any, **more: Any) -> Any:
        """The result of a job; raises what `error` makes, and fails if the process has died. `more`: for the script."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"job": job, "arguments": arguments, **more}) + "\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], self._patience)
        assert ready, f"{self._name} has not answered {job} {arguments} within {self._patience} s"
        answer = self._process.stdout.readline()
        assert answer, f"{self._name} ended with {self._process.wait(30)} at {job} {arguments}"
        told = json.loads(answer)
        if "error" in told:
            raise self._error(told)
        return told["result"]
