"""What the Capture program does beside capturing: pruning, rows of IBMSNAP_CAPMON, and when it is time for either.

Source: IBM Db2 documentation, "Pruning CD and UOW tables", "IBMSNAP_CAPMON table", "IBMSNAP_CAPPARMS table"
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tailrace_standins.db2.asn.register import Register
    from tailrace_standins.db2.engine.session import EngineSession
    from tailrace_standins.db2.values import Value

_PARAMETERS: Final = {
    "COMMIT_INTERVAL": 30, "SLEEP_INTERVAL": 5, "RETENTION_LIMIT": 10080, "PRUNE_INTERVAL": 300, "MONITOR_INTERVAL": 300,
    "MONITOR_LIMIT": 10080, "TRACE_LIMIT": 10080,
}  # fmt: skip
"""What IBMSNAP_CAPPARMS has, with what is taken for NULL: seconds, but minutes of limits."""


@dataclass(slots=True)
class Counts:
    """What was done since the last row of IBMSNAP_CAPMON."""

    rows: int = 0
    transactions: int = 0


class Housekeeping:
    """Prunes and monitors."""

    def __init__(self, session: EngineSession, schema: str, register: Register) -> None:
        self._session = session
        self._schema = schema
        self._register = register
        self.begun = self._pruned = self._monitored = session.now()

    def parameters(self) -> dict[str, int]:
        """IBMSNAP_CAPPARMS; AUTOPRUNE is 1 or 0."""
        found = self._session.run(f"SELECT {', '.join(_PARAMETERS)}, AUTOPRUNE FROM {self._named('IBMSNAP_CAPPARMS')}")
        self._session.commit()
        row: tuple[Value, ...] = found[0] if found else (None,) * len(_PARAMETERS) + ("Y",)
        given = {name: int(str(value)) for name, value in zip(_PARAMETERS, row, strict=False) if value is not None}
        return {**_PARAMETERS, **given, "AUTOPRUNE": int(row[-1] != "N")}

    def due(self) -> tuple[bool, bool]:
        """Whether it is time to prune, and to monitor, by the server's clock; then they count as done."""
        given, now = self.parameters(), self._session.now()
        prunes = bool(given["AUTOPRUNE"]) and now >= later(self._pruned, given["PRUNE_INTERVAL"])
        monitors = now >= later(self._monitored, given["MONITOR_INTERVAL"])
        self._pruned = now if prunes else self._pruned
        self._monitored = now if monitors else self._monitored
        return prunes, monitors

    def prune(self, before: str | None) -> None:
        """Delete rows of transactions committed before a time; None: RETENTION_LIMIT before now."""
        given, uow = self.parameters(), self._named("IBMSNAP_UOW")
        now = self._session.now()
        limit = before or later(now, -60 * given["RETENTION_LIMIT"])
        ((newest,),) = self._session.run(f"SELECT MAX(IBMSNAP_COMMITSEQ) FROM {uow} WHERE IBMSNAP_LOGMARKER < ?", limit)
        if newest is not None:
            for target in self._register.targets():
                self._session.run(f"DELETE FROM {target} WHERE IBMSNAP_COMMITSEQ <= ?", newest)
            self._session.run(f"DELETE FROM {uow} WHERE IBMSNAP_COMMITSEQ <= ?", newest)
        for table, column, name in (("CAPMON", "MONITOR_TIME", "MONITOR_LIMIT"), ("CAPTRACE", "TRACE_TIME", "TRACE_LIMIT")):
            oldest = later(now, -60 * given[name])
            self._session.run(f"DELETE FROM {self._named(f'IBMSNAP_{table}')} WHERE {column} < ?", oldest)
        self._session.commit()

    def monitor(self, counts: Counts, synchtime: str, done: bytes) -> None:
        """Write a row of IBMSNAP_CAPMON."""
        now = self._session.now()
        self._session.run(
            f"INSERT INTO {self._named('IBMSNAP_CAPMON')} VALUES (?, ?, 32, {counts.rows}, 0, 0, 0, {counts.transactions}, "
            "0, 0, 0, NULL, NULL, 0, 0, ?, ?, ?, ?, ?, ?)",
            *(now, self.begun, synchtime, now, now, done, done, done),
        )
        self._session.commit()

    def _named(self, table: str) -> str:
        return f'"{self._schema}".{table}'


def later(time: str, seconds: float) -> str:
    """A time of the server, so many seconds later."""
    return (dt.datetime.fromisoformat(time) + dt.timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S.%f")
