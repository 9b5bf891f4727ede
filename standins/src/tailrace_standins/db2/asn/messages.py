"""IBMSNAP_CAPTRACE: what the Capture program tells.

Source: IBM Db2 documentation, "IBMSNAP_CAPTRACE table", "ASN messages"; which message comes when is partly a guess
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.session import EngineSession


class Messages:
    """Writes messages, which come with the session's next commit."""

    def __init__(self, session: EngineSession, schema: str) -> None:
        self._session = session
        self._table = f'"{schema}".IBMSNAP_CAPTRACE'
        self._schema = schema

    def info(self, text: str) -> None:
        """What happened."""
        self._add("INFO", text)

    def error(self, text: str) -> None:
        """What went wrong."""
        self._add("ERROR", text)

    def started(self, counts: dict[str, int]) -> None:
        """The program has begun."""
        self._add("INIT", "ASN0100I the Capture program initialization is successful")
        self.info(
            f"ASN0109I the Capture program has initialized {counts.get('A', 0)} registrations; {counts.get('S', 0)} are in a "
            f"stopped state, {counts.get('I', 0)} in an inactive state"
        )

    def stopped(self, number: bytes) -> None:
        """The program has ended."""
        self.info(
            "ASN0123I at program termination, the highest log sequence number of a successfully captured log record is "
            f"{number.hex().upper()}"
        )
        self._add("STOP", "ASN0572I the program stopped successfully")

    def _add(self, operation: str, text: str) -> None:
        whole = f"{text[:9]}CAPTURE {self._schema} : {text[9:]}" if text.startswith("ASN") else text
        self._session.run(f"INSERT INTO {self._table} VALUES (?, ?, ?)", operation, self._session.now(), whole)
