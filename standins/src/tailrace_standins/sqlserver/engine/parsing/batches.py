"""Parses a batch into statements.

Source: "Control-of-flow", https://learn.microsoft.com/sql/t-sql/language-elements/control-of-flow
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.settings import SettingReader
from tailrace_standins.sqlserver.engine.statement_base import Statement

_TRANSACTION: Final = ("TRAN", "TRANSACTION")


def batch(sql: str) -> list[Statement]:
    """The statements of a batch; raises 102 and its like."""
    reader = _BatchReader(sql)
    return reader.statements()


def expression(sql: str) -> tree.Expression:
    """An expression alone: a default, a computed column, a check."""
    return _BatchReader(sql).expression()


class _BatchReader(SettingReader):
    def statements(self, *ends: str) -> list[Statement]:
        found: list[Statement] = []
        while True:
            while self.accept(";"):
                pass
            if self.token.kind == "end" or (ends and self.at(*ends)):
                return found
            found.append(self._statement(is_first=not found))

    def _statement(self, *, is_first: bool = False) -> Statement:
        line, start = self.token.line, self.token.start
        statement = self._read(is_first=is_first)
        statement.line = line
        if isinstance(statement, tree.AlterTable):
            statement.text_in_log = self.text_between(start, self.token.start)
        self.accept(";")
        return statement

    def _read(self, *, is_first: bool) -> Statement:
        key = self.token.key
        method = getattr(self, f"_{key.lower()}", None) if key in _STATEMENTS else None
        if method is not None:
            found = method()
            assert isinstance(found, Statement)  # noqa: S101  # _STATEMENTS lists readers of statements
            return found
        if key in {"SELECT", "VALUES"} or (key == "(" and self._opens_query()):
            return tree.SelectStatement(self.query())
        if key in {"CREATE", "ALTER", "DROP", "TRUNCATE"}:
            return self._definition(key)
        if key in {"GRANT", "DENY", "REVOKE"}:
            return self._grant()
        if key == "CHECKPOINT":
            return self.ignored()
        if key in {"MERGE", "DBCC", "BACKUP", "RESTORE", "KILL", "RECONFIGURE", "OPEN", "CLOSE", "FETCH", "DEALLOCATE"}:
            raise unsupported(key)
        if key == "{":
            return self._called()
        if is_first and self.is_name():
            return self._execution()
        raise self.wrong()

    def _definition(self, key: str) -> Statement:
        return {"CREATE": self.create, "ALTER": self.alter, "DROP": self.drop, "TRUNCATE": self.truncate}[key]()

    def _with(self) -> Statement:
        common = self.common_tables()
        if self.at("SELECT"):
            query = self.query()
            if isinstance(query, tree.Values):
                raise self.wrong()
            query.common = common
            return tree.SelectStatement(query)
        statement = self._statement()
        if not isinstance(statement, tree.Insert | tree.Update | tree.Delete):
            raise self.wrong()
        statement.common = common
        return statement

    def _if(self) -> Statement:
        self.expect("IF")
        condition = self.expression()
        then = self._branch()
        while self.accept(";"):
            pass
        return tree.If(condition, then, self._branch() if self.accept("ELSE") else [])

    def _branch(self) -> list[Statement]:
        while self.accept(";"):
            pass
        return [self._statement(is_first=True)]

    def _while(self) -> Statement:
        self.expect("WHILE")
        return tree.While(self.expression(), self._branch())

    def _begin(self) -> Statement:
        self.expect("BEGIN")
        if self.at_any(*_TRANSACTION):
            return self._transaction("BEGIN")
        if self.accept("DISTRIBUTED"):
            raise unsupported("distributed transactions")
        if self.accept("TRY"):
            body = self.statements("END", "TRY")
            self.expect("END", "TRY")
            self.accept(";")
            self.expect("BEGIN", "CATCH")
            catch = self.statements("END", "CATCH")
            self.expect("END", "CATCH")
            return tree.Try(body, catch)
        body = self.statements("END")
        self.expect("END")
        return tree.Block(body)

    def _transaction(self, verb: str) -> Statement:
        if self.token.key in {"TRAN", "TRANSACTION", "WORK"}:
            self.advance()
        name = ""
        if self.token.kind == "variable" or (self.is_name() and self.token.key not in {"WITH", "THROW"} | _STATEMENTS):
            name = self.advance().text
        if self.at("WITH"):
            self.advance()
            if self.at("("):
                self._option()  # DELAYED_DURABILITY
            else:
                self.expect("MARK")
                if self.token.kind in {"string", "nstring"}:
                    self.advance()
        return tree.Transaction(verb, name)

    def _commit(self) -> Statement:
        return self._transaction(self.advance().key)

    _rollback = _commit

    _save = _commit

    def _throw(self) -> Statement:
        self.expect("THROW")
        return tree.Throw([] if self.at(";") or self.token.kind in {"end", "word"} else self.expressions())

    def _raiserror(self) -> Statement:
        self.expect("RAISERROR", "(")
        arguments = self.expressions()
        self.expect(")")
        options = []
        if self.accept("WITH"):
            options.append(self.any_name().upper())
            while self.accept(","):
                options.append(self.any_name().upper())
        return tree.Raiserror(arguments, tuple(options))

    def _print(self) -> Statement:
        self.expect("PRINT")
        return tree.Print(self.expression())

    def _return(self) -> Statement:
        self.expect("RETURN")
        ends = self.token.kind == "end" or self.token.key in {";", "END"} | _STATEMENTS | {"SELECT"}
        return tree.Return(None if ends else self.expression())

    def _break(self) -> Statement:
        return tree.Leave(self.advance().key)

    _continue = _break

    def _use(self) -> Statement:
        self.expect("USE")
        return tree.Use(self.name())

    def _waitfor(self) -> Statement:
        self.expect("WAITFOR")
        if not self.accept("DELAY"):
            raise unsupported("WAITFOR TIME")
        return tree.WaitFor(self.expression())

    def _goto(self) -> Statement:
        raise unsupported("GOTO")


_STATEMENTS: Final = frozenset(
    [
        "WITH",
        "INSERT",
        "UPDATE",
        "DELETE",
        "EXEC",
        "EXECUTE",
        "DECLARE",
        "IF",
        "WHILE",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVE",
        "THROW",
        "RAISERROR",
        "PRINT",
        "RETURN",
        "BREAK",
        "CONTINUE",
        "USE",
        "WAITFOR",
        "GOTO",
        "SET",
    ]
)
