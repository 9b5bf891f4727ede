"""`python -m tests.differential.db2.stand_process SCHEMA PLATFORM`: a Db2 stand-in that is led through its standard input.

The arguments are its capture schema, and LUW or ZOS. It first prints its port. Each input line is a JSON list of a command and its arguments;
each is answered by a line with a JSON object of `result` or `failed`. The process ends at the end of its input.

It runs in a process of its own, as the positions of a log are counted in a process: so each scenario's log has the same ones.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn
from tailrace_standins.storage.log import POSITIONS

USER, PASSWORD, DATABASE = "db2inst1", "Tailrace-1", "TESTDB"
NEVER = 1e9  # seconds between the steps that asncap takes by itself
OFTEN = 0.05
ROUND = 10_000


class Led:
    """The stand-in, and what it can be told."""

    def __init__(self, schema: str, platform: str) -> None:
        self._now: dt.datetime | None = None
        self.engine = Engine(DATABASE, users={USER: PASSWORD}, clock=self._clock, platform=platform)
        self.replication = Replication(self.engine, schema)
        self.replication.capture.start(NEVER)

    def sql(self, statements: Sequence[str]) -> list[list[Any]]:
        """Run statements in one transaction, which is committed unless it ends otherwise; the last one's rows, as texts."""
        session = self.engine.session()
        rows: list[tuple[Any, ...]] = []
        try:
            for statement in statements:
                rows = session.run(statement)
            session.commit()
        finally:
            session.close()
        return [[None if value is None else str(value) for value in row] for row in rows]

    def clock(self, text: str) -> None:
        """The server's time stands still at this one (ISO 8601)."""
        self._now = dt.datetime.fromisoformat(text)

    def step(self) -> None:
        """The Capture program takes all that is committed, and says so."""
        self.replication.capture.step()
        if self.replication.capture.error:
            raise self.replication.capture.error

    def reinit(self) -> None:
        """The Capture program reads its register anew."""
        self.replication.capture.reinit()

    def resume(self) -> None:
        """From now on the Capture program works by itself."""
        self.replication.capture.stop()
        self.replication.capture.start(OFTEN)

    def round(self) -> None:
        """The log goes on at a round position, so that it does not matter how often was looked at what is before."""
        while next(POSITIONS) % ROUND:
            pass

    def close(self) -> None:
        """End it."""
        self.replication.close()
        self.engine.close()

    def _clock(self) -> dt.datetime:
        return self._now or dt.datetime.now(dt.UTC)


def main() -> None:
    """Serve until the input ends."""
    led = Led(*sys.argv[1:])
    with StandIn(led.engine) as server:
        _say({"result": server.port})
        for line in sys.stdin:
            command, *arguments = json.loads(line)
            _say(_answer(getattr(led, command), arguments))
    led.close()


def _answer(command: Callable[..., Any], arguments: list[Any]) -> dict[str, Any]:
    try:
        return {"result": command(*arguments)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
