"""One client's connection.

It has two threads. One reads, so that an attention (a cancel) is seen while a request runs; the other executes requests and
answers. Results are sent as they are produced, in packets of the negotiated size.

Source: [MS-TDS] 3.3.5 Message Processing Events and Sequencing Rules, 2.2.1.7 Attention
"""

from __future__ import annotations

import contextlib
import logging
import queue
import ssl
import threading
from collections.abc import Callable, Generator, Iterator

from tailrace_standins.sqlserver.session import Server, Session, SqlError
from tailrace_standins.sqlserver.tds import login, prelogin, tokens
from tailrace_standins.sqlserver.tds.answers import Answer, Chunk
from tailrace_standins.sqlserver.tds.packets import BEFORE_LOGIN, Kind, Message, Outbox, ProtocolError, packets
from tailrace_standins.sqlserver.tds.pipe import Closed, Pipe
from tailrace_standins.sqlserver.tds.prelogin import Encryption
from tailrace_standins.sqlserver.tds.prepared import Procedures
from tailrace_standins.sqlserver.tds.requests import read_batch, read_calls
from tailrace_standins.sqlserver.tds.tokens import Done, Environment
from tailrace_standins.sqlserver.tds.transactions import carried_out

_LOG = logging.getLogger(__name__)
_AT_ONCE = 1 << 20
"""Bytes that are collected before they are sent. That saves calls, and an answer up to this size is sent in one. Clients in
the same process need that if they hold Python's global interpreter lock while they read (mssql-python's Arrow)."""


class Connection:
    """A client's connection; `run` is executed by its reading thread."""

    def __init__(self, pipe: Pipe, server: Server, tls: ssl.SSLContext | None) -> None:
        self._pipe = pipe
        self._server = server
        self._tls = tls
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._busy = False
        self._attention = False

    def run(self) -> None:
        """Serve until the client or the server closes the connection."""
        try:
            entered = self._enter()
            if entered is not None:
                self._serve(*entered)
        except Closed as reason:
            _LOG.debug("connection closed: %s", reason)
        except ProtocolError as reason:
            _LOG.warning("connection closed, since this is no TDS that is spoken here: %s", reason)
        finally:
            self._pipe.close()

    def close(self) -> None:
        """Close it; called from another thread."""
        self._pipe.close()

    def _enter(self) -> tuple[Session, int] | None:
        """PRELOGIN, TLS and login: the session and the packet size; None if the login is refused."""
        asked = prelogin.options(self._expect(Kind.PRELOGIN))
        encryption = prelogin.agreed(asked.get(1, b""), has_certificate=self._tls is not None)
        self._send(prelogin.answer(asked, encryption))
        if self._tls is not None and encryption is not Encryption.NOT_SUPPORTED:
            self._pipe.negotiate(self._tls)
        request = login.read_login(self._expect(Kind.LOGIN), encrypted=encryption is Encryption.ON)
        if encryption is Encryption.LOGIN_ONLY:
            self._pipe.stop_encrypting()
        try:
            if request.refusal:
                raise login.refused(request)
            session = self._server.login(request.login)
        except SqlError as problem:
            self._send(login.failure(problem))
            return None
        try:
            self._send(login.welcome(request, session.database) + tokens.done(Done.BATCH))
        except Closed:
            session.close()
            raise
        return session, request.packet_size

    def _serve(self, session: Session, packet_size: int) -> None:
        work = _Work(self, session, packet_size)
        worker = threading.Thread(target=work.run, name=f"standin session {session.id}", daemon=True)
        worker.start()
        try:
            while True:
                self._take(self._pipe.receive(), session)
        finally:
            self._pipe.close()
            with self._lock:
                if self._busy:  # the client has gone: nobody waits for the end of its statement
                    session.cancel()
            self._queue.put(None)
            worker.join()

    def _take(self, message: Message, session: Session) -> None:
        """Handle a message: an attention cancels the running request, anything else is queued."""
        with self._lock:
            if message.kind == Kind.ATTENTION and self._busy:
                self._attention = True
                session.cancel()
                return
            self._busy = True
        self._queue.put(message)

    def next_message(self) -> Message | None:
        """The next request; None at the end of the connection."""
        return self._queue.get()

    @property
    def is_interrupted(self) -> bool:
        """Whether the client has cancelled the running request."""
        return self._attention

    def settle(self) -> bool:
        """End the running request; returns whether the client had cancelled it."""
        with self._lock:
            was, self._attention, self._busy = self._attention, False, False
        return was

    def send_packets(self, data: bytes | bytearray) -> None:
        """Send bytes that are packets already."""
        self._pipe.send(data)

    def _expect(self, kind: Kind) -> bytes:
        message = self._pipe.receive()
        if message.kind != kind:
            raise ProtocolError(f"a message of type {message.kind} where {kind.name} is to come")
        return message.data

    def _send(self, data: bytes) -> None:
        self._pipe.send(packets(Kind.ANSWER, data, BEFORE_LOGIN))


class _Work:
    """Executes the requests of one session, one after the other."""

    def __init__(self, connection: Connection, session: Session, packet_size: int) -> None:
        self._connection = connection
        self._session = session
        self._packet_size = packet_size
        self._procedures = Procedures(session)
        self._requests: dict[int, Callable[[bytes, Answer], Iterator[Chunk]]] = {
            Kind.BATCH: lambda data, answer: answer.batch(session.batch(read_batch(data))),
            Kind.RPC: self._calls,
            Kind.TRANSACTION: lambda data, answer: answer.batch(carried_out(session, data)),
        }

    def run(self) -> None:
        """Run until there are no more requests, then close the session."""
        try:
            while (message := self._connection.next_message()) is not None:
                if not self._answer(message):
                    break
        except Closed as reason:
            _LOG.debug("the client went while it was answered: %s", reason)
        except ProtocolError as reason:
            _LOG.warning("connection closed, since this is no TDS that is spoken here: %s", reason)
        finally:
            self._connection.close()
            self._session.close()

    def _answer(self, message: Message) -> bool:
        """Answer a message; returns whether the connection continues."""
        outbox = Outbox(Kind.ANSWER, self._packet_size, self._session.id)
        answer, ready = Answer(), bytearray()
        with contextlib.closing(self._chunks(message, answer)) as chunks:
            for chunk in chunks:
                if self._connection.is_interrupted:
                    break
                ready += outbox.add(chunk) if chunk else b""
                if len(ready) >= _AT_ONCE:
                    self._connection.send_packets(ready)
                    ready = bytearray()
        interrupted = self._connection.settle()
        if interrupted:
            ready += outbox.add(tokens.done(Done.BATCH, tokens.ERROR))
        ready += outbox.finish()
        if interrupted:  # a message of its own, which is what JDBC waits for
            acknowledged = tokens.done(Done.BATCH, tokens.ATTENTION)
            ready += packets(Kind.ANSWER, acknowledged, self._packet_size, self._session.id)
        self._connection.send_packets(ready)
        return not answer.closes

    def _chunks(self, message: Message, answer: Answer) -> Generator[Chunk, None, None]:
        if message.kind == Kind.ATTENTION:
            yield tokens.done(Done.BATCH, tokens.ATTENTION)
        elif message.ignored:
            yield tokens.done(Done.BATCH, tokens.ERROR)
        elif message.kind not in self._requests:
            raise ProtocolError(f"a message of type {message.kind}, which is not spoken here")
        else:
            yield from self._carried_out(message, answer)

    def _carried_out(self, message: Message, answer: Answer) -> Iterator[Chunk]:
        try:
            if message.reset:
                yield self._reset(message)
            yield from self._requests[message.kind](message.data, answer)
        except SqlError as problem:
            yield from answer.failure(problem)
        except (ProtocolError, Closed):
            raise
        except Exception as problem:  # noqa: BLE001 -- sent to the client, whose connection ends
            _LOG.exception("the stand-in failed")
            yield from answer.failure(SqlError(50000, f"The stand-in failed: {problem!r}", severity=20))

    def _reset(self, message: Message) -> bytes:
        if message.keeps_transaction:
            raise SqlError(50000, "The stand-in does not reset a session and keep its transaction.", severity=20)
        self._procedures.forget()
        self._session.reset()
        return tokens.changed_bytes(Environment.RESET, b"")

    def _calls(self, data: bytes, answer: Answer) -> Iterator[Chunk]:
        calls = read_calls(data)
        for number, call in enumerate(calls, 1):
            yield from self._procedures.answer(call, answer, is_last=number == len(calls))
