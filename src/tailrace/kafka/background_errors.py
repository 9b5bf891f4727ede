"""Why the brokers can't be reached: a client's background errors while a call waits in vain.

librdkafka retries forever, and the waiting call ends only with "transport failure": a wrong password or an untrusted
certificate comes as a background error. A caller with short timeouts can stop at that, and report it.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException

from tailrace.errors import ConfigError, RetriableError, TailraceError
from tailrace.kafka.client_errors import client_error
from tailrace.kafka.librdkafka import without_times

TURN_SECONDS: Final = 1.0
_REMEMBERED: Final = 2
_LOGIN_REFUSED: Final = frozenset(
    {
        KafkaError._AUTHENTICATION,  # noqa: SLF001 -- librdkafka's own codes are spelled so
        KafkaError._SSL,  # noqa: SLF001
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.UNSUPPORTED_SASL_MECHANISM,
    }
)
_TRANSIENT: Final = frozenset(
    {
        KafkaError._TRANSPORT,  # noqa: SLF001
        KafkaError._TIMED_OUT,  # noqa: SLF001
        KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001
        KafkaError._RESOLVE,  # noqa: SLF001
    }
)
_ALERT: Final = "tls alert"  # the broker's error about the client's certificate comes as a failed transport
_SILENT: Final = "perhaps security.protocol is not what they ask for"  # brokers give no reason for that
_BROKEN_OFF: Final = "Disconnected"  # a broker that shuts down ends a handshake, too


class BackgroundErrors:
    """One client's background errors.

    Attributes:
        options: additional ones for the client.

    """

    def __init__(self) -> None:
        self._errors: deque[str] = deque(maxlen=_REMEMBERED)
        self._refused = False
        self.options: dict[str, Any] = {"error_cb": self._note, "log_level": 0}

    def __str__(self) -> str:
        return "; ".join(self._errors)

    def topics(self, client: Consumer, topic: str | None, timeout: float, what: str) -> dict[str, Any]:
        """The metadata of a topic, or of all; `what` begins the message on failure.

        Raises:
            ConfigError: the brokers refuse the login.
            RetriableError: there is no answer.

        """
        deadline = time.monotonic() + timeout
        while True:
            turn = min(TURN_SECONDS, timeout)
            try:
                found = client.list_topics(topic, timeout=turn) if topic else client.list_topics(timeout=turn)
                return dict(found.topics)
            except KafkaException as error:
                client.poll(0)
                if self._refused or error.args[0].code() not in _TRANSIENT or time.monotonic() > deadline:
                    raise self._of_topics(error.args[0], what) from None

    def complaint(self, what: str, said: str) -> TailraceError:
        """Why a call has waited in vain; `what` failed, and it says `said`. The client must have been polled.

        A refused login is a `ConfigError`. librdkafka itself goes on trying, so a caller asks when its time is over.
        """
        if self._refused:
            return ConfigError(
                f"{what}: {self}; look at security.protocol, sasl.* and ssl.* of the client's properties"
            )
        return RetriableError(f"{what}: {said}" + (f"; the client says: {self}" if self._errors else ""))

    def forget(self) -> None:
        """After a success: what was said before explains nothing that comes."""
        self._errors.clear()
        self._refused = False

    def _note(self, error: KafkaError) -> None:
        text = without_times(error.str())
        self._refused |= _ALERT in text or (error.code() in _LOGIN_REFUSED and _BROKEN_OFF not in text)
        if text not in self._errors and error.code() != KafkaError._ALL_BROKERS_DOWN:  # noqa: SLF001
            self._errors.append(text)

    def _of_topics(self, error: KafkaError, what: str) -> TailraceError:
        if self._refused or error.code() in _TRANSIENT:
            return self.complaint(what, error.str() if self._errors else f"{error.str()}; {_SILENT}")
        return client_error(error, what)
