"""Parses GRANT and REVOKE.

Source: IBM Db2 documentation, "GRANT", "REVOKE" (SQL reference)
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.engine import tree
from tailrace_standins.db2.engine.parsing.definitions import Definitions
from tailrace_standins.db2.engine.parsing.lexer import Kind
from tailrace_standins.db2.engine.rights import KNOWN

_ALL_OF_TABLES: Final = tuple(name for name in KNOWN["TABLE"] if name != "CONTROL")


class Rights(Definitions):
    """Reads privileges, on what, and whose."""

    def grant(self) -> tree.Rights | tree.Nothing:
        """GRANT; what is no privilege on a table, a schema or the database is forgotten."""
        return self._rights("GRANT", "TO", gives=True)

    def revoke(self) -> tree.Rights | tree.Nothing:
        """REVOKE."""
        return self._rights("REVOKE", "FROM", gives=False)

    def _rights(self, verb: str, before: str, *, gives: bool) -> tree.Rights | tree.Nothing:
        self.expect(verb)
        privileges = self._privileges()
        kind, names = self._object() if self.word("ON") else ("", ())
        known = KNOWN.get(kind)
        if known is None or not set(privileges) <= set(known):
            self.skip()
            return tree.Nothing(verb)
        self.expect(before)
        grantees = self._grantees()
        if self.word("WITHOUT", "DATAACCESS"):
            privileges = tuple(each for each in privileges if each != "DATAACCESS")
        self.skip()  # WITH GRANT OPTION, BY ALL, RESTRICT
        return tree.Rights(gives, privileges, kind, names, grantees)

    def _privileges(self) -> tuple[str, ...]:
        found: list[str] = []
        while True:
            name = self.name()
            if name == "ALL":
                self.word("PRIVILEGES")
                found += _ALL_OF_TABLES
            else:
                found.append(name)
            if name == "DBADM" and not self.word("WITHOUT", "DATAACCESS"):
                self.word("WITH", "DATAACCESS")
                found += ["DATAACCESS"]
            if name == "DBADM":
                self.any_word("WITH", "WITHOUT") and self.take()
            while self.token.kind is Kind.WORD and self.token.text not in {"ON", "TO", "FROM"}:
                self.take()  # ROLE R, USE OF TABLESPACE T
            if not self.sign(","):
                return tuple(found)

    def _object(self) -> tuple[str, tuple[str, ...]]:
        if self.word("DATABASE"):
            return "DATABASE", ()
        if self.word("SCHEMA"):
            return "SCHEMA", (self.name(),)
        if self.any_word("PROCEDURE", "FUNCTION", "PACKAGE", "SPECIFIC", "SEQUENCE", "MODULE", "INDEX", "VARIABLE"):
            return "", ()
        self.word("TABLE")
        return "TABLE", self.names()

    def _grantees(self) -> tuple[str, ...]:
        found = []
        while True:
            if self.ahead().kind in {Kind.WORD, Kind.NAME} and self.ahead().text not in {"WITH", "WITHOUT", "BY"}:
                self.any_word("USER", "GROUP", "ROLE")
            found.append(self.name())
            if not self.sign(","):
                return tuple(found)
