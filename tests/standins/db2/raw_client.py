"""A client that sends DRDA's commands as bytes and shows what comes back."""

from __future__ import annotations

import socket
import struct
from typing import Self

from tailrace_standins.db2.drda.codepoints import Command, Data, Parameter, Reply
from tailrace_standins.db2.drda.objects import made, objects
from tailrace_standins.db2.drda.packages import Section
from tailrace_standins.db2.drda.segments import Inbox

SECTION = Section("TESTDB", "NULLID", "SYSSH200", b"SYSLVL01", 1)
NOT_HELD = Section("TESTDB", "NULLID", "SYSSN200", b"SYSLVL01", 1)


def ebcdic(text: str) -> bytes:
    return text.encode("cp500")


def sql(text: str) -> tuple[int, bytes]:
    return Data.SQLSTT, b"\x00" + struct.pack(">I", len(text.encode())) + text.encode() + b"\xff"


class RawClient:
    """A connection; `ask` sends one command, `chain` several."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._inbox = Inbox()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def entered(self, password: str) -> Self:
        """Do the handshake."""
        self.ask(Command.EXCSAT, made(Parameter.MGRLVLLS, struct.pack(">HH", 0x2407, 11)))
        self.ask(Command.ACCSEC, made(Parameter.SECMEC, b"\x00\x03"))
        assert point(self.check(password)) == [Reply.SECCHKRM]
        assert point(self.access("TESTDB")) == [Reply.ACCRDBRM]
        return self

    def check(self, password: str) -> list[tuple[int, bytes]]:
        return self.ask(
            Command.SECCHK, made(Parameter.USRID, ebcdic("app")), made(Parameter.PASSWORD, ebcdic(password))
        )

    def access(self, database: str) -> list[tuple[int, bytes]]:
        return self.ask(
            Command.ACCRDB,
            made(Parameter.RDBNAM, ebcdic(database.ljust(18))),
            made(Parameter.TYPDEFNAM, ebcdic("QTDSQLX86")),
        )

    def of(self, command: int, section: Section, *more: bytes, given: tuple[tuple[int, bytes], ...] = ()) -> list[tuple[int, bytes]]:
        """A command about a section."""
        return self.ask(command, made(Parameter.PKGNAMCSN, section.written("cp500")), *more, given=given)

    def prepare(self, section: Section, text: str) -> list[tuple[int, bytes]]:
        return self.of(Command.PRPSQLSTT, section, made(Parameter.RTNSQLDA, b"\xf1"), given=(sql(text),))

    def ask(self, command: int, *parameters: bytes, given: tuple[tuple[int, bytes], ...] = ()) -> list[tuple[int, bytes]]:
        return self.chain([(made(command, *parameters), given)])

    def chain(
        self, commands: list[tuple[bytes, tuple[tuple[int, bytes], ...]]], *, goes_on: bool = False
    ) -> list[tuple[int, bytes]]:
        """Send commands, each with its objects, in one chain; all answers to it."""
        sent = b""
        for number, (command, given) in enumerate(commands, 1):
            last = number == len(commands)
            parts = [(1, command), *((3, made(code, data)) for code, data in given)]
            for place, (kind, data) in enumerate(parts, 1):
                same = place < len(parts)
                flags = kind | (0x50 if same else 0 if last else 0x40) | (0x20 if goes_on else 0)
                sent += struct.pack(">HBBH", len(data) + 6, 0xD0, flags, number) + data
        self._socket.sendall(sent)
        return self._answers()

    def _answers(self) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        while True:
            data = self._socket.recv(1 << 16)
            if not data:
                raise ConnectionError("the server has closed the connection")
            self._inbox.feed(data)
            for segment in self._inbox.segments():
                found += objects(segment.data)
                if not segment.chained:
                    return found


def point(answers: list[tuple[int, bytes]]) -> list[int]:
    return [each for each, _ in answers]


def code_of(area: bytes) -> int:
    """SQLCODE of a SQLCARD."""
    return 0 if area[0] == 0xFF else int(struct.unpack_from("<i", area, 1)[0])
