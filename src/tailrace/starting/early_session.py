"""A session that Spark's Java makes while this process imports: it takes Java a second, and Python longer.

Until this process has forked the fork server it may have no second thread, nor a client of Py4J, whose objects would talk to
Java out of the fork too. So what is asked for here goes out as the few lines of text that it takes in Py4J's protocol, on a
connection of its own. Nobody waits for the answer meanwhile; pyspark then finds the session made.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Mapping
from typing import IO, Any, Final

from attrs import define
from py4j import protocol

_CLASS: Final = "org.apache.spark.sql.classic.SparkSession"
_HOST: Final = "127.0.0.1"
_SECONDS: Final = 10.0  # for answers to what is done at once
_MAKING_SECONDS: Final = 120.0


class EarlySessionError(Exception):
    """Java did not do what was asked; whoever makes the session by pyspark learns why."""


@define
class EarlySession:
    """A session that is being made.

    Attributes:
        settings: its own.

    """

    settings: Mapping[str, str]
    _socket: socket.socket
    _answers: IO[bytes]

    @classmethod
    def request(cls, port: int, secret: str, settings: Mapping[str, str]) -> EarlySession:
        """Have Java, which listens at a port of this machine, begin to make it.

        Raises:
            EarlySessionError: it does not.

        """
        from pyspark.core.context import DEFAULT_CONFIGS

        try:
            connection = socket.create_connection((_HOST, port), _SECONDS)
        except OSError as error:
            raise EarlySessionError(str(error)) from error
        session = cls(dict(settings), connection, connection.makefile("rb"))
        try:
            session._ask(f"{protocol.AUTH_COMMAND_NAME}\n{secret}\n")
            builder = session._call(f"{protocol.STATIC_PREFIX}{_CLASS}", "builder")
            for name, value in {**DEFAULT_CONFIGS, **settings}.items():
                session._call(builder, "config", name, str(value))
            session._send(_command(builder, "getOrCreate"))
        except BaseException:
            session.close()
            raise
        return session

    def has_answered(self) -> bool:
        """Whether `is_made` need not wait."""
        return self._socket.fileno() < 0 or bool(select.select([self._socket], [], [], 0)[0])

    def is_made(self) -> bool:
        """Wait for it, once; False if that failed. The session stays Java's default one."""
        try:
            self._socket.settimeout(_MAKING_SECONDS)  # an error, where it is closed
            self._answer()
        except (EarlySessionError, OSError):
            return False
        finally:
            self.close()
        return True

    def close(self) -> None:
        """Let go of the connection; what Java has begun it goes on with."""
        self._answers.close()
        self._socket.close()

    def _call(self, target: str, method: str, *words: str) -> str:
        return self._ask(_command(target, method, *words))

    def _ask(self, command: str) -> str:
        self._send(command)
        return self._answer()

    def _send(self, command: str) -> None:
        try:
            self._socket.sendall(command.encode())
        except OSError as error:
            raise EarlySessionError(str(error)) from error

    def _answer(self) -> str:
        """The id of the object that it names, if any."""
        try:
            line = self._answers.readline().decode().rstrip("\n")
        except OSError as error:
            raise EarlySessionError(str(error)) from error
        if not line.startswith(protocol.RETURN_MESSAGE + protocol.SUCCESS):
            raise EarlySessionError(line or "Java has closed the connection")
        return line[3:]


def _command(target: str, method: str, *words: str) -> str:
    given: list[Any] = [protocol.get_command_part(word) for word in words]
    return f"{protocol.CALL_COMMAND_NAME}{target}\n{method}\n{''.join(given)}{protocol.END_COMMAND_PART}"
