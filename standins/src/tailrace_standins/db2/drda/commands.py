"""SQL's commands: statements by their sections, cursors, the unit of work.

Source: DRDA V5 volume 1, "SQL statements and DRDA commands", "Result sets"; volume 3, each command by its name
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tailrace_standins.db2.drda.codepoints import Command, Data, Parameter, Reply
from tailrace_standins.db2.drda.communication_area import SUCCESS, affected, failure
from tailrace_standins.db2.drda.cursor import ProtocolError
from tailrace_standins.db2.drda.descriptors import described, rows_descriptor
from tailrace_standins.db2.drda.handshake import Handshake, statement_text, text_of
from tailrace_standins.db2.drda.objects import made
from tailrace_standins.db2.drda.packages import Section, section
from tailrace_standins.db2.drda.queries import Query
from tailrace_standins.db2.drda.reading import parameters
from tailrace_standins.db2.drda.replies import Answers, Severity
from tailrace_standins.db2.session import Affected, Column, Ended, Isolation, Result, Rows, Session, SqlError, Statement
from tailrace_standins.db2.values import Value

Given: TypeAlias = list[tuple[int, bytes]]
_INPUT_DESCRIPTIONS: Final = {1, 3, 5}
_EXTENDED_DESCRIPTION: Final = 4
_LIMITED_BLOCKS: Final = b"\x24\x17"
_YES, _NO = b"\xf1", b"\xf0"
_BLOCK: Final = 32767
_COMMITTED, _ROLLED_BACK = b"\x01", b"\x02"
_LICENCE: Final = "DB2LIC"
_OF_THE_CLIENT: Final = ("SET CLIENT ", "SET CURRENT LOCALE LC_CTYPE")
_FIRST_RESULT: Final = 0x180


class Commands:
    """Carries out the commands of a session."""

    def __init__(self, session: Session, handshake: Handshake, database: str) -> None:
        self._session = session
        self._handshake = handshake
        self._database = database
        self._statements: dict[Section, Statement] = {}
        self._attributes: dict[Section, str] = {}
        self._queries: dict[Section, Query] = {}
        self._results = 0
        self._types = handshake.types
        self._commands: dict[int, Callable[[dict[int, bytes], Given, Answers], None]] = {
            Command.PRPSQLSTT: self._prepare,
            Command.DSCSQLSTT: self._describe,
            Command.OPNQRY: self._open,
            Command.CNTQRY: self._continue,
            Command.CLSQRY: self._close_query,
            Command.EXCSQLSTT: self._execute,
            Command.EXCSQLIMM: self._immediately,
            Command.EXCSQLSET: self._set,
            Command.RDBCMM: self._commit,
            Command.RDBRLLBCK: self._rollback,
        }

    @property
    def known(self) -> frozenset[int]:
        """The commands."""
        return frozenset(self._commands)

    def carry_out(self, command: int, asked: dict[int, bytes], given: Given, answers: Answers) -> None:
        """Answer a command; an error of SQL becomes its SQLCARD, after what the command's rules put before it."""
        self._types = self._handshake.types.overridden(dict(given))
        try:
            self._commands[command](asked, given, answers)
        except SqlError as error:
            self._failed(command, error, answers)

    def close(self) -> None:
        """Close all cursors."""
        self._close_queries(held_too=True)

    def _failed(self, command: int, error: SqlError, answers: Answers) -> None:
        if error.ends_transaction:
            self._close_queries(held_too=True)
            answers.message(Reply.ABNUOWRM, Severity.ERROR, self._name())
        if command == Command.OPNQRY:
            answers.message(Reply.OPNQFLRM, Severity.ERROR, self._name())
        elif command == Command.CNTQRY:
            answers.message(Reply.ENDQRYRM, Severity.ERROR)
        answers.data(Data.SQLCARD, failure(error))

    def _name(self) -> bytes:
        encoding = self._handshake.encoding
        return made(Parameter.RDBNAM, self._database.encode(encoding).ljust(18, " ".encode(encoding)))

    def _section(self, asked: dict[int, bytes]) -> Section:
        if Parameter.PKGNAMCSN not in asked:
            raise ProtocolError("a command without a section")
        return section(asked[Parameter.PKGNAMCSN], self._handshake.encoding)

    def _prepare(self, asked: dict[int, bytes], given: Given, answers: Answers) -> None:
        key = self._section(asked)
        sql = text_of(given, Data.SQLSTT, self._types.text)
        if sql is None:
            raise ProtocolError("a statement to prepare that does not come")
        self._statements.pop(key, None)
        self._attributes[key] = text_of(given, Data.SQLATTR, self._types.text) or ""
        statement = self._statements[key] = self._session.prepare(sql)
        if asked.get(Parameter.RTNSQLDA) == _YES:
            extended = _number(asked.get(Parameter.TYPSQLDA)) == _EXTENDED_DESCRIPTION
            answers.data(Data.SQLDARD, SUCCESS, described(statement.columns, extended=extended))
        else:
            answers.data(Data.SQLCARD, SUCCESS)

    def _describe(self, asked: dict[int, bytes], _: Given, answers: Answers) -> None:
        statement = self._prepared(self._section(asked))
        kind = _number(asked.get(Parameter.TYPSQLDA))
        columns = statement.parameters if kind in _INPUT_DESCRIPTIONS else statement.columns
        told = described(columns, extended=kind == _EXTENDED_DESCRIPTION)
        answers.data(Data.SQLDARD, SUCCESS, told)

    def _open(self, asked: dict[int, bytes], given: Given, answers: Answers) -> None:
        key = self._section(asked)
        statement = self._prepared(key)
        if key in self._queries and not self._queries[key].done:
            raise SqlError(-502, "24502")
        result = self._run(statement, self._values(given, statement.parameters)[0], key.isolation)
        if not isinstance(result, Rows):
            raise SqlError(-517, "07005")
        query = self._query(key, result, asked)
        self._opened(key, answers)
        answers.data(Data.QRYDSC, rows_descriptor(result.columns))
        self._send(key, query, answers)

    def _query(self, key: Section, rows: Rows, asked: dict[int, bytes]) -> Query:
        held = key.held or "WITH HOLD" in self._attributes.get(key, "")
        in_row = _number(asked.get(Parameter.SMLDTASZ)) if asked.get(Parameter.DYNDTAFMT) == _YES else 0
        query = Query(rows, held=held, in_row=in_row, block_size=_number(asked.get(Parameter.QRYBLKSZ)) or _BLOCK)
        self._queries[key] = query
        return query

    def _opened(self, key: Section, answers: Answers) -> None:
        answers.message(
            Reply.OPNQRYRM,
            Severity.INFORMATION,
            made(Parameter.QRYPRCTYP, _LIMITED_BLOCKS),
            made(Parameter.SQLCSRHLD, _YES if self._queries[key].held else _NO),
            made(Parameter.QRYINSID, bytes(8)),
            made(Parameter.QRYATTUPD, b"\x01"),
        )

    def _send(self, key: Section, query: Query, answers: Answers) -> None:
        try:
            query.send(answers)
        except SqlError as error:  # the cursor was opened: it ends with the error
            query.close()
            self._failed(Command.CNTQRY, error, answers)
        if query.done:
            self._queries.pop(key, None)

    def _continue(self, asked: dict[int, bytes], _: Given, answers: Answers) -> None:
        key = self._section(asked)
        query = self._queries.get(key)
        if query is None:
            answers.message(Reply.QRYNOPRM, Severity.ERROR, self._name(), made(Parameter.PKGNAMCSN, asked[Parameter.PKGNAMCSN]))
            answers.data(Data.SQLCARD, failure(SqlError(-501, "24501")))
            return
        if size := _number(asked.get(Parameter.QRYBLKSZ)):
            query.resize(size)
        self._send(key, query, answers)

    def _close_query(self, asked: dict[int, bytes], _: Given, answers: Answers) -> None:
        query = self._queries.pop(self._section(asked), None)
        if query is not None:
            query.close()
        answers.data(Data.SQLCARD, SUCCESS)

    def _execute(self, asked: dict[int, bytes], given: Given, answers: Answers) -> None:
        key = self._section(asked)
        if Parameter.PRCNAM in asked:
            name = asked[Parameter.PRCNAM].decode(self._handshake.encoding)
            self._result_sets(key, self._session.call(name, self._values(given)[0]), asked, answers)
        elif key.collection == _LICENCE:  # clients of IBM ask whether they are licensed
            answers.data(Data.SQLCARD, SUCCESS)
        else:
            statement = self._prepared(key)
            rows = _number(asked.get(Parameter.NBRROW)) or 1
            for values in self._values(given, statement.parameters, rows):  # each row of a batch has its answer
                self._ran(key, self._run(statement, values, key.isolation), asked, answers)

    def _immediately(self, asked: dict[int, bytes], given: Given, answers: Answers) -> None:
        key = self._section(asked)
        sql = text_of(given, Data.SQLSTT, self._types.text)
        if sql is None:
            raise ProtocolError("a statement to execute that does not come")
        self._ran(key, self._run(self._session.prepare(sql), (), key.isolation), asked, answers)

    def _set(self, _: dict[int, bytes], given: Given, answers: Answers) -> None:
        """EXCSQLSET: what a client tells of itself is taken without a word, the rest is for the engine."""
        for point, data in given:
            if point == Data.SQLSTT:
                sql = statement_text(data, self._types.text)
                if not sql.startswith(_OF_THE_CLIENT):
                    self._run(self._session.prepare(sql), (), Isolation.CURSOR_STABILITY)
        answers.data(Data.SQLCARD, SUCCESS)

    def _run(self, statement: Statement, values: Sequence[Value], isolation: Isolation) -> Result:
        if len(values) != len(statement.parameters):
            raise SqlError(-313, "07001")
        return self._session.execute(statement, values, isolation)

    def _ran(self, key: Section, result: Result, asked: dict[int, bytes], answers: Answers) -> None:
        if isinstance(result, Rows):
            self._result_sets(key, [result], asked, answers)
            return
        if isinstance(result, Affected) and result.ended:
            self._close_queries(held_too=result.ended is Ended.ROLLED_BACK)
            self._ended(result.ended, answers)
            return
        answers.data(Data.SQLCARD, affected(result.count))

    def _result_sets(self, key: Section, sets: Sequence[Rows], asked: dict[int, bytes], answers: Answers) -> None:
        """The result sets of a call: their cursors' names, then each one as if it were opened."""
        if not sets:
            answers.data(Data.SQLCARD, SUCCESS)
            return
        keys = [key.of_number(_FIRST_RESULT + (self._results + place) % _FIRST_RESULT) for place in range(len(sets))]
        self._results += len(sets)
        encoding = self._handshake.encoding
        names = [made(Parameter.PKGNAMCSN, each.written(encoding)) for each in keys]
        answers.message(Reply.RSLSETRM, Severity.INFORMATION, made(Parameter.PKGSNLST, *names))
        answers.data(Data.SQLCARD, SUCCESS)
        answers.data(Data.SQLRSLRD, _listed(len(sets)))
        for each, rows in zip(keys, sets, strict=True):
            query = self._query(each, rows, asked)
            self._opened(each, answers)
            answers.data(Data.SQLCINRD, described(rows.columns, extended=True))
            answers.data(Data.QRYDSC, rows_descriptor(rows.columns))
            self._send(each, query, answers)

    def _commit(self, _: dict[int, bytes], __: Given, answers: Answers) -> None:
        self._session.commit()
        self._close_queries(held_too=False)
        self._ended(Ended.COMMITTED, answers)

    def _rollback(self, _: dict[int, bytes], __: Given, answers: Answers) -> None:
        self._close_queries(held_too=True)
        self._session.rollback()
        self._ended(Ended.ROLLED_BACK, answers)

    def _ended(self, how: Ended, answers: Answers) -> None:
        told = _COMMITTED if how is Ended.COMMITTED else _ROLLED_BACK
        answers.message(Reply.ENDUOWRM, Severity.WARNING, made(Parameter.UOWDSP, told))
        answers.data(Data.SQLCARD, SUCCESS)

    def _close_queries(self, *, held_too: bool) -> None:
        for key, query in list(self._queries.items()):
            if held_too or not query.held:
                query.close()
                del self._queries[key]

    def _prepared(self, key: Section) -> Statement:
        if key not in self._statements:
            raise SqlError(-514, "26501", f"SQL_CUR{key.number}")
        return self._statements[key]

    def _values(self, given: Given, wanted: Sequence[Column] = (), rows: int = 1) -> list[list[Value]]:
        behind = [_unwrapped(data) for point, data in given if point == Data.EXTDTA]
        for point, data in given:
            if point == Data.SQLDTA:
                return parameters(data, behind, self._types, [_is_binary(column) for column in wanted], rows)
        return [[]]


def _unwrapped(data: bytes) -> bytes:
    """The data of EXTDTA, without the byte that says it is not NULL."""
    return data[1:]


def _is_binary(column: Column) -> bool:
    return column.type.bit_data or column.type.name in {"binary", "varbinary", "blob"}


def _listed(count: int) -> bytes:
    """SQLRSLRD: result sets with locator, name and an unknown number of rows."""
    sets = []
    for number in range(1, count + 1):
        name = f"RS{number}".encode()
        sets.append(struct.pack("<i", number) + struct.pack(">H", len(name)) + name + b"\x00\x00" + struct.pack("<q", -1))
    return struct.pack("<h", count) + b"".join(sets)


def _number(data: bytes | None) -> int:
    return int.from_bytes(data, "big") if data else 0
