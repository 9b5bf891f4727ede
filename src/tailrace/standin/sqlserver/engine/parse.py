"""A batch as statements.

Source: "Control-of-flow", https://learn.microsoft.com/sql/t-sql/language-elements/control-of-flow
"""

from __future__ import annotations

from typing import Final

from tailrace.standin.sqlserver.engine import tree, types
from tailrace.standin.sqlserver.engine.errors import unsupported
from tailrace.standin.sqlserver.engine.parse_ddl import DefinitionReader
from tailrace.standin.sqlserver.engine.tree import Statement

_TRANSACTION: Final = ("TRAN", "TRANSACTION")


def batch(sql: str) -> list[Statement]:
    """The statements of a batch; raises 102 and its like."""
    reader = _BatchReader(sql)
    return reader.statements()


def expression(sql: str) -> tree.Expression:
    """An expression alone: a default, a computed column, a check."""
    return _BatchReader(sql).expression()


class _BatchReader(DefinitionReader):
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
        if key in {"GRANT", "DENY", "REVOKE", "CHECKPOINT"}:
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

    def _called(self) -> Statement:
        """ODBC's {call p(…)} and {? = call p(…)}."""
        self.expect("{")
        if self.token.kind == "variable" and self.ahead().key == "=":
            self.advance()
            self.expect("=")
        self.expect("CALL")
        names = self.names()
        arguments: list[tree.Argument] = []
        if self.accept("(") and not self.accept(")"):
            arguments = self._call_arguments()
            self.expect(")")
        self.expect("}")
        return tree.Execute(names, arguments)

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

    def _target(self) -> tree.Table:
        names = self.names()
        return tree.Table(names, hints=self.hints())

    def _insert(self) -> Statement:
        self.expect("INSERT")
        if self.at("TOP"):
            raise unsupported("INSERT TOP")
        self.accept("INTO")
        names = self.names()
        hints = self.hints() if self.at("WITH") else ()
        columns = self.name_list() if self.at("(") and not self._opens_query() else ()
        statement = tree.Insert(tree.Table(names, hints=hints), columns, None)
        self._output(statement)
        if self.accept("DEFAULT", "VALUES"):
            return statement
        if self.at_any("EXEC", "EXECUTE"):
            statement.source = self._exec()
        elif self.accept("VALUES"):
            statement.source = self._inserted_values()
        else:
            statement.source = self.query()
        return statement

    def _inserted_values(self) -> tree.Values:
        rows: list[list[tree.Expression]] = []
        while True:
            self.expect("(")
            rows.append([self._inserted_value()])
            while self.accept(","):
                rows[-1].append(self._inserted_value())
            self.expect(")")
            if not self.accept(","):
                break
        if self.accept("OPTION"):
            self._option()
        return tree.Values(rows)

    def _inserted_value(self) -> tree.Expression:
        return tree.Call(("DEFAULT",), []) if self.accept("DEFAULT") else self.expression()

    def _output(self, statement: tree.Insert | tree.Update | tree.Delete) -> None:
        if not self.accept("OUTPUT"):
            return
        statement.output = self.items()
        if self.accept("INTO"):
            statement.output_into = self.names()
            if self.at("("):
                raise unsupported("OUTPUT INTO with a list of columns")

    def _update(self) -> Statement:
        self.expect("UPDATE")
        if self.at("STATISTICS"):
            return self.ignored()
        top = self.top()
        statement = tree.Update(self._target(), [], top=top)
        self.expect("SET")
        while True:
            statement.assignments.append(self._assignment())
            if not self.accept(","):
                break
        self._output(statement)
        self._filter(statement)
        return statement

    def _assignment(self) -> tuple[str, str, tree.Expression]:
        variable = column = ""
        if self.token.kind == "variable":
            variable = self.advance().text.lower()
            if self.ahead().key == "=" and self.at("="):
                self.expect("=")
                if self.is_name() and self.ahead().key == "=":
                    column = self.name()
                    self.expect("=")
                return column, variable, self._inserted_value()
        else:
            column = self.names()[-1]
        operator = self.advance().key
        if operator not in {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}:
            self._place -= 1
            raise self.wrong()
        value = self._inserted_value()
        if operator != "=":
            value = tree.Binary(operator[0], tree.Column((column,)) if column else tree.Variable(variable), value)
        return column, variable, value

    def _filter(self, statement: tree.Update | tree.Delete) -> None:
        if self.accept("FROM"):
            statement.sources = self.sources()
        if self.accept("WHERE"):
            if self.at("CURRENT"):
                raise unsupported("WHERE CURRENT OF")
            statement.where = self.expression()
        if self.accept("OPTION"):
            self._option()

    def _delete(self) -> Statement:
        self.expect("DELETE")
        top = self.top()
        self.accept("FROM")
        statement = tree.Delete(self._target(), top=top)
        self._output(statement)
        self._filter(statement)
        return statement

    def _exec(self) -> tree.Execute:
        line = self.advance().line
        found = self._execution()
        found.line = line
        return found

    _execute = _exec

    def _execution(self) -> tree.Execute:
        if self.accept("("):
            text = self.expression()
            self.expect(")")
            return tree.Execute((), [], text=text)
        into = ""
        if self.token.kind == "variable" and self.ahead().key == "=":
            into = self.advance().text.lower()
            self.expect("=")
        if self.token.kind == "variable":
            statement = tree.Execute((), [], into, name_variable=self.advance().text.lower())
        else:
            statement = tree.Execute(self.names(), [], into)
        if not self._ends_statement():
            statement.arguments = self._call_arguments()
        if self.accept("WITH", "RECOMPILE"):
            return statement
        return statement

    def _ends_statement(self) -> bool:
        if self.token.kind in {"string", "nstring", "number", "binary", "variable", "money"} or self.at_any("-", "+"):
            return False
        return not (
            self.token.kind == "word"
            and (self.token.key in {"NULL", "DEFAULT"} or (self.ahead().key in {",", ";", ""} and self.is_name()))
        )

    def _call_arguments(self) -> list[tree.Argument]:
        found = []
        while True:
            name = ""
            if self.token.kind == "variable" and self.ahead().key == "=":
                name = self.advance().text.lower()
                self.expect("=")
            value: tree.Expression | tree.Default
            if self.accept("DEFAULT"):
                value = tree.Default()
            elif self.token.kind == "quoted" or (
                self.token.kind == "word" and self.token.key != "NULL" and self.ahead().key != "("
            ):
                value = tree.Literal(self.advance().text, types.text("nvarchar", 128))  # a bare word is a text
            else:
                value = self.expression()
            is_output = self.accept("OUTPUT") or self.accept("OUT")
            found.append(tree.Argument(name, value, is_output))
            if not self.accept(","):
                return found

    def _declare(self) -> Statement:
        self.expect("DECLARE")
        found = []
        while True:
            if self.token.kind != "variable":
                raise self.wrong()
            name = self.advance().text.lower()
            self.accept("AS")
            if self.accept("TABLE"):
                found.append(tree.Declared(name, None, table=self.table((name,))))
            else:
                of = self.type_name()
                found.append(tree.Declared(name, of, self.expression() if self.accept("=") else None))
            if not self.accept(","):
                return tree.Declare(found)

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

    def _set(self) -> Statement:
        self.expect("SET")
        if self.token.kind == "variable":
            name = self.advance().text.lower()
            operator = self.advance().key
            value = self.expression()
            if operator != "=":
                value = tree.Binary(operator[0], tree.Variable(name), value)
            return tree.Assign(name, value)
        return self._set_option()

    def _set_option(self) -> Statement:
        if self.accept("TRANSACTION"):
            self.expect("ISOLATION", "LEVEL")
            words = [self.any_name().upper()]
            if words[0] in {"READ", "REPEATABLE"}:
                words.append(self.any_name().upper())
            return tree.SetOption("TRANSACTION ISOLATION LEVEL", (" ".join(words),))
        names = [self.any_name().upper()]
        if names[0] == "IDENTITY_INSERT":
            table = self.names()
            return tree.SetOption("IDENTITY_INSERT", (self._on_off(),), table)
        if names[0] == "STATISTICS":
            names[0] += " " + self.any_name().upper()
        while self.accept(","):  # SET ANSI_NULLS, QUOTED_IDENTIFIER ON
            names.append(self.any_name().upper())
        if self.token.kind in {"number", "variable", "string", "nstring", "binary"} or self.at("-"):
            return tree.SetOption(",".join(names), (), expression=self.expression())
        return tree.SetOption(",".join(names), (self.any_name().upper(),))

    def _on_off(self) -> str:
        if not self.at_any("ON", "OFF"):
            raise self.wrong()
        return self.advance().key


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
