"""One client's connection: reads chains of commands and answers each chain at once.

Source: DRDA V5 volume 3, "DSS", "AGENT"; volume 1, "Interrupting a running DRDA request" (INTRDBRQS)
"""

from __future__ import annotations

import contextlib
import logging
import select
import socket
import ssl
from collections import deque
from collections.abc import Callable
from typing import Final

from tailrace_standins.db2.drda.codepoints import Command, Data, Parameter, Reply
from tailrace_standins.db2.drda.commands import Commands, Given
from tailrace_standins.db2.drda.communication_area import SUCCESS, failure
from tailrace_standins.db2.drda.cursor import ProtocolError
from tailrace_standins.db2.drda.handshake import Handshake
from tailrace_standins.db2.drda.objects import made, objects
from tailrace_standins.db2.drda.replies import Answers, Severity
from tailrace_standins.db2.drda.segments import Inbox, Segment, chained
from tailrace_standins.db2.session import Server, Session, SqlError

_LOG = logging.getLogger(__name__)
_READ: Final = 1 << 16
_CLOSED: Final = getattr(select, "POLLRDHUP", 0)  # an error of the socket is told in any case
_HANDSHAKE_SECONDS: Final = 30.0


class Closed(Exception):  # noqa: N818 -- a client that disconnects is no error
    """The client has disconnected, or the server closed the connection."""


class Connection:
    """A client's connection.

    Args:
        client: the socket.
        server: makes the session.
        token: names this connection to others; 8 bytes.
        interrupt: cancels what runs on the connection with a token.
        tls: with it, the conversation begins with a TLS handshake.

    Attributes:
        token: as given.

    """

    def __init__(
        self,
        client: socket.socket,
        server: Server,
        token: bytes,
        interrupt: Callable[[bytes], None],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.token = token
        self._tls = tls
        self._socket = client
        self._inbox = Inbox()
        self._waiting: deque[Segment] = deque()
        self._handshake = Handshake(server, token)
        self._interrupt = interrupt
        self._session: Session | None = None
        self._commands: Commands | None = None
        self._refused = False

    def run(self) -> None:
        """Serve until the client or the server closes the connection."""
        try:
            if self._tls is not None:
                self._secure(self._tls)
            while True:
                self._answer_chain()
        except Closed as reason:
            _LOG.debug("connection closed: %s", reason)
        except (ProtocolError, UnicodeDecodeError) as reason:
            _LOG.warning("connection closed, since this is no DRDA that is spoken here: %s", reason)
        finally:
            self.close()
            if self._commands is not None:
                self._commands.close()
            if self._session is not None:
                self._session.close()

    def close(self) -> None:
        """Close it; may be called from another thread."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def cancel(self) -> None:
        """Cancel what runs; called from another thread."""
        if self._session is not None:
            self._session.cancel()

    def _is_gone(self) -> bool:
        """Whether the client has closed the connection while its command is carried out."""
        asked = select.poll()
        try:
            asked.register(self._socket, _CLOSED)
        except ValueError:  # this side has
            return True
        return bool(asked.poll(0))

    def _secure(self, tls: ssl.SSLContext) -> None:
        try:
            self._socket = tls.wrap_socket(self._socket, server_side=True, do_handshake_on_connect=False)
            self._socket.settimeout(_HANDSHAKE_SECONDS)
            self._socket.do_handshake()
            self._socket.settimeout(None)
        except OSError as error:
            _LOG.warning("no TLS with this client: %s", error)
            raise Closed(str(error)) from None

    def _answer_chain(self) -> None:
        answers = Answers()
        more, goes_on = True, True
        while more:
            request, given, more = self._command()
            answers.correlator = request.correlator
            if answers.failed and not goes_on:
                continue
            answers.failed, goes_on = False, request.goes_on
            for command, data in objects(request.data):
                self._answer(command, dict(objects(data)), given, answers)
        sent = answers.taken()
        if sent:
            self._send(chained(sent))
        if self._refused:
            raise Closed("the user or the password is wrong")

    def _command(self) -> tuple[Segment, Given, bool]:
        """A command with its objects, and whether another one follows in the chain."""
        request = last = self._segment()
        given: Given = []
        while last.chained and last.same:
            last = self._segment()
            given += objects(last.data)
        return request, given, last.chained

    def _answer(self, command: int, asked: dict[int, bytes], given: Given, answers: Answers) -> None:
        handshake = self._handshake
        if command == Command.EXCSAT:
            handshake.attributes(asked, answers)
        elif command == Command.ACCSEC:
            handshake.security(asked, answers)
        elif command == Command.SECCHK:
            self._refused = not handshake.check(asked, answers)
        elif command == Command.ACCRDB:
            self._access(asked, answers)
        elif command == Command.INTRDBRQS:
            self._interrupt(asked.get(Parameter.RDBINTTKN, b""))
            answers.data(Data.SQLCARD, SUCCESS)
        elif self._commands is None:
            answers.message(Reply.RDBNACRM, Severity.ERROR, made(Parameter.RDBNAM, asked.get(Parameter.RDBNAM, b"")))
        elif command in self._commands.known:
            self._carry_out(self._commands, command, asked, given, answers)
        else:
            answers.message(Reply.CMDNSPRM, Severity.ERROR, made(Parameter.CODPNT, command.to_bytes(2, "big")))

    def _access(self, asked: dict[int, bytes], answers: Answers) -> None:
        session = self._handshake.database(asked, answers)
        if session is not None:
            name = asked[Parameter.RDBNAM].decode(self._handshake.encoding).rstrip()
            session.watch(self._is_gone)
            self._session, self._commands = session, Commands(session, self._handshake, name)

    def _carry_out(
        self, commands: Commands, command: int, asked: dict[int, bytes], given: Given, answers: Answers
    ) -> None:
        try:
            commands.carry_out(command, asked, given, answers)
        except (ProtocolError, Closed):
            raise
        except Exception as problem:  # noqa: BLE001 -- told to the client
            _LOG.exception("the stand-in failed")
            answers.data(Data.SQLCARD, failure(SqlError(-901, "58004", f"the stand-in failed: {problem!r}")))

    def _segment(self) -> Segment:
        while not self._waiting:
            self._inbox.feed(self._received())
            self._waiting += self._inbox.segments()
        return self._waiting.popleft()

    def _received(self) -> bytes:
        try:
            data = self._socket.recv(_READ)
        except (OSError, ssl.SSLError) as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed("the client has closed the connection")
        return data

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except (OSError, ssl.SSLError) as error:
            raise Closed(str(error)) from None
