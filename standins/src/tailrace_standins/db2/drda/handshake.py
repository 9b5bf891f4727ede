"""How a conversation begins: attributes, security, the database.

The order is EXCSAT, ACCSEC, SECCHK, ACCRDB; a client may send EXCSAT again, to ask whether the server is there, or to turn from
EBCDIC to UTF-8. The only mechanism is a user and a password (SECMEC 3): a client that offers others is told so.

Source: DRDA V5 volume 1, "Initialization", "Security"; volume 3, "EXCSAT", "ACCSEC", "SECCHK", "ACCRDB"
"""

from __future__ import annotations

import struct
from typing import Final

from tailrace_standins.db2.drda.client_types import ClientTypes
from tailrace_standins.db2.drda.codepoints import Data, Manager, Parameter, Reply
from tailrace_standins.db2.drda.cursor import ProtocolError
from tailrace_standins.db2.drda.objects import made
from tailrace_standins.db2.drda.replies import Answers, Severity
from tailrace_standins.db2.session import Login, Server, Session

EBCDIC, UTF8 = "cp500", "utf-8"
_LEVELS: Final[dict[int, int]] = {
    Manager.AGENT: 10, Manager.SQLAM: 11, Manager.CMNTCPIP: 8, Manager.RDB: 12, Manager.SECMGR: 9, Manager.CCSIDMGR: 1208,
    Manager.UNICODEMGR: 0,
}  # fmt: skip
_WHO: Final = {
    Parameter.EXTNAM: "db2sysc", Parameter.SRVCLSNM: "QDB2/LINUXX8664", Parameter.SRVNAM: "standin",
    Parameter.SRVRLSLV: "SQL12014",
}  # fmt: skip
_PRODUCT: Final = "SQL12014"
_TYPES: Final = "QTDSQLX86"
_USER_AND_PASSWORD: Final = 3
_WRONG_PASSWORD: Final = b"\x0f"
_WRONG_STATE: Final = b"\x11"


class Handshake:
    """One connection's way to its session.

    Attributes:
        encoding: of names and texts in parameters.
        types: how the client writes statements and their parameters.
        token: names the connection to another one that wants to interrupt it; 8 bytes.

    """

    def __init__(self, server: Server, token: bytes) -> None:
        self.encoding = EBCDIC
        self.types = ClientTypes()
        self.token = token
        self._server = server
        self._application = ""
        self._user: str | None = None

    def attributes(self, asked: dict[int, bytes], answers: Answers) -> None:
        """EXCSAT: levels that both know. What is not asked for is not told: a client asks nothing to see whether it's alive."""
        told = [made(point, text.encode(EBCDIC)) for point, text in _WHO.items() if point in asked]
        levels = list(struct.iter_unpack(">HH", asked.get(Parameter.MGRLVLLS, b"")))
        agreed = [(manager, min(level, _LEVELS.get(manager, 0))) for manager, level in levels]
        if levels:
            told.append(made(Parameter.MGRLVLLS, b"".join(struct.pack(">HH", *each) for each in agreed)))
        if (Manager.CCSIDMGR, 1208) in agreed:
            self.encoding = UTF8
        if Parameter.EXTNAM in asked:
            self._application = asked[Parameter.EXTNAM].decode(self.encoding, "replace").rstrip()
        answers.plain(Reply.EXCSATRD, *told)

    def security(self, _: dict[int, bytes], answers: Answers) -> None:
        """ACCSEC: whatever is offered, it is to be a user and a password."""
        answers.plain(Reply.ACCSECRD, made(Parameter.SECMEC, struct.pack(">H", _USER_AND_PASSWORD)))

    def check(self, asked: dict[int, bytes], answers: Answers) -> bool:
        """SECCHK: the user and the password; returns whether they are right.

        If not, the connection is to be closed: a driver that has sent ACCRDB in the same chain would wait for its answer.
        """
        user, password = (
            asked.get(point, b"").decode(self.encoding) for point in (Parameter.USRID, Parameter.PASSWORD)
        )
        self._user = user if self._server.authenticates(user, password) else None
        if self._user is not None:
            answers.message(Reply.SECCHKRM, Severity.INFORMATION, made(Parameter.SECCHKCD, b"\x00"))
        else:
            answers.message(Reply.SECCHKRM, Severity.ERROR, made(Parameter.SECCHKCD, _WRONG_PASSWORD))
        return self._user is not None

    def database(self, asked: dict[int, bytes], answers: Answers) -> Session | None:
        """ACCRDB: a session, or an answer why there is none."""
        if self._user is None:
            answers.message(Reply.PRCCNVRM, Severity.ERROR, made(Parameter.PRCCNVCD, _WRONG_STATE))
            return None
        name = asked.get(Parameter.RDBNAM, b"").decode(self.encoding).rstrip()
        product = asked.get(Parameter.PRDID, b"").decode(self.encoding, "replace")
        session = self._server.open(Login(self._user, name, self._application, product))
        if session is None:
            answers.message(Reply.RDBNFNRM, Severity.ERROR, made(Parameter.RDBNAM, asked[Parameter.RDBNAM]))
            return None
        self.types = ClientTypes().overridden(asked)
        overridden = (
            made(Parameter.CCSIDSBC, b"\x04\xb8"),
            made(Parameter.CCSIDDBC, b"\x04\xb0"),
            made(Parameter.CCSIDMBC, b"\x04\xb8"),
        )
        answers.message(
            Reply.ACCRDBRM,
            Severity.INFORMATION,
            made(Parameter.PRDID, _PRODUCT.encode(self.encoding)),
            made(Parameter.TYPDEFNAM, _TYPES.encode(self.encoding)),
            made(Parameter.TYPDEFOVR, *overridden),
            made(Parameter.RDBINTTKN, self.token),
        )
        return session


def statement_text(data: bytes, encoding: str) -> str:
    """The text of SQLSTT or SQLATTR: one of two forms, mixed or single-byte, each with a byte that tells whether it's there."""
    at = 0
    while at < len(data):
        if data[at] == 0:
            (length,) = struct.unpack_from(">I", data, at + 1)
            return data[at + 5 : at + 5 + length].decode(encoding)
        at += 1
    raise ProtocolError("a statement without text")


def text_of(given: list[tuple[int, bytes]], point: Data, encoding: str) -> str | None:
    """The text of the first such object of a command; None without one."""
    for each, data in given:
        if each == point:
            return statement_text(data, encoding)
    return None
