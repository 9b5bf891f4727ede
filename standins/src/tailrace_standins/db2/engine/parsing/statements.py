"""Parses statements.

Source: IBM Db2 documentation, "Statements" (SQL reference)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tailrace_standins.db2.engine import tree, types
from tailrace_standins.db2.engine.parsing.lexer import Kind
from tailrace_standins.db2.engine.parsing.rights import Rights
from tailrace_standins.db2.session import SqlError

_RESOLUTIONS: Final = ("WAIT FOR OUTCOME", "USE CURRENTLY COMMITTED", "SKIP LOCKED DATA")
_NAMED_VALUES: Final = frozenset({"USER", "SESSION_USER", "SYSTEM_USER", "CURRENT"})


class Statements(Rights):
    """Reads one statement."""

    def statement(self) -> tree.Statement:
        """The statement; raises `SqlError` -104 for what is none, or is none that is known here."""
        found = self._statement()
        self.end()
        return found

    def _statement(self) -> tree.Statement:
        if self.at_sign("(") or self.at_word("SELECT") or self.at_word("VALUES") or self.at_word("WITH"):
            return self._select()
        verb = self.token.text
        readers: dict[str, Callable[[], tree.Statement]] = {
            "INSERT": self._insert,
            "UPDATE": self._update,
            "DELETE": self._delete,
            "CREATE": self.create,
            "ALTER": self.alter,
            "DROP": self.drop,
            "RENAME": self.rename,
            "COMMENT": self.comment,
            "TRUNCATE": self._truncate,
            "LOCK": self._lock,
            "SET": self._set,
            "COMMIT": self._unit,
            "ROLLBACK": self._unit,
            "SAVEPOINT": self._unit,
            "RELEASE": self._unit,
            "CALL": self._call,
            "GRANT": self.grant,
            "REVOKE": self.revoke,
            "RUNSTATS": self._statistics,
        }
        read = readers.get(verb)
        if read is None:
            raise SqlError(-104, "42601", verb, "BEGIN-OF-STATEMENT", "<statement>")
        return read()

    def _select(self) -> tree.SelectStatement:
        query = self.query()
        isolation = resolution = ""
        while True:
            if self.word("WITH"):
                isolation = self.any_word("UR", "CS", "RS", "RR")
                if not isolation:
                    raise self.wrong("<isolation>")
                if self.word("USE", "AND", "KEEP"):
                    self.any_word("SHARE", "UPDATE", "EXCLUSIVE")
                    self.expect("LOCKS")
            elif found := next((each for each in _RESOLUTIONS if self.word(*each.split())), ""):
                resolution = found
            elif self.word("FOR"):
                if self.any_word("READ", "FETCH"):
                    self.expect("ONLY")
                else:
                    self.expect("UPDATE")
            elif self.word("OPTIMIZE", "FOR"):
                self.number()
                self.any_word("ROW", "ROWS")
            else:
                return tree.SelectStatement(query, isolation, resolution)

    def _insert(self) -> tree.Insert:
        self.expect("INSERT", "INTO")
        names = self.names()
        columns = self.listed_names() if self.at_sign("(") else ()
        return tree.Insert(names, columns, self.query())

    def _update(self) -> tree.Update:
        self.expect("UPDATE")
        table = self.target()
        self.expect("SET")
        assignments = []
        while True:
            if self.at_sign("("):
                columns = self.listed_names()
                self.expect_sign("=")
                self.expect_sign("(")
                values = self.expressions()
                self.expect_sign(")")
                if len(values) != len(columns):
                    raise SqlError(-117, "42802")
                assignments += list(zip(columns, values, strict=True))
            else:
                column = self.names()[-1]
                self.expect_sign("=")
                assignments.append((column, self.expression()))
            if not self.sign(","):
                break
        return tree.Update(table, tuple(assignments), self.condition() if self.word("WHERE") else None)

    def _delete(self) -> tree.Delete:
        self.expect("DELETE", "FROM")
        return tree.Delete(self.target(), self.condition() if self.word("WHERE") else None)

    def _truncate(self) -> tree.Truncate:
        self.expect("TRUNCATE")
        self.word("TABLE")
        names = self.names()
        self.skip()
        return tree.Truncate(names)

    def _lock(self) -> tree.LockTable:
        self.expect("LOCK", "TABLE")
        names = self.names()
        self.expect("IN")
        mode = self.any_word("SHARE", "EXCLUSIVE")
        self.expect("MODE")
        return tree.LockTable(names, mode)

    def _set(self) -> tree.Set:
        self.expect("SET")
        words = []
        while self.at_name and not self.at_sign("="):
            words.append(self.take().text)
            if words[-1] in {"SCHEMA", "ISOLATION", "TIMEOUT", "SQLID", "INTEGRITY"}:
                break
        name = " ".join(word for word in words if word != "CURRENT")
        self.sign("=")
        if name in {"SCHEMA", "SQLID", "ISOLATION"}:
            if self.at_name and not (self.token.kind is Kind.WORD and self.token.text in _NAMED_VALUES):
                return tree.Set(name, tree.Literal(self.name(), types.varchar(128)))
            return tree.Set(name, self.expression())
        if name == "LOCK TIMEOUT":
            return tree.Set(name, self._timeout())
        self.skip()
        return tree.Set(name, None)

    def _timeout(self) -> tree.Expression | None:
        """Seconds; -1 waits without end, None is the database's own."""
        if self.word("NULL"):
            return None
        if self.word("NOT"):
            self.expect("WAIT")
            return tree.Literal(0, types.INTEGER)
        if self.word("WAIT") and self.token.kind is not Kind.INTEGER:
            return tree.Literal(-1, types.INTEGER)
        return tree.Literal(self.number(), types.INTEGER)

    def _unit(self) -> tree.Unit:
        verb = self.take().text
        self.any_word("WORK")
        if verb == "ROLLBACK" and self.word("TO"):
            self.expect("SAVEPOINT")
            return tree.Unit("ROLLBACK TO", self.name() if self.at_name else "")
        if verb == "RELEASE":
            self.word("TO")
            self.expect("SAVEPOINT")
        if verb in {"SAVEPOINT", "RELEASE"}:
            name = self.name()
            self.skip()
            return tree.Unit(verb, name)
        return tree.Unit(verb)

    def _statistics(self) -> tree.RunStatistics:
        self.expect("RUNSTATS", "ON", "TABLE")
        names = self.names()
        self.skip()
        return tree.RunStatistics(names)

    def _call(self) -> tree.CallProcedure:
        self.expect("CALL")
        names = self.names()
        arguments: tuple[tree.Expression, ...] = ()
        if self.sign("("):
            if not self.at_sign(")"):
                arguments = self.expressions()
            self.expect_sign(")")
        return tree.CallProcedure(names, arguments)
