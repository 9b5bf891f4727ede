"""One producing instance of librdkafka: created from options, polled for events, and closed in bounded time.

librdkafka's reports (failed messages, background errors, log lines) come as polled events, never
as callbacks: a callback would run Python in the middle of C, and a flush that calls back wakes only
every ten milliseconds, which every small transaction would pay. Only compiled code is called back, to count (`deliveries`).
"""

from __future__ import annotations

import ctypes
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from ctypes import c_char_p, c_int, c_size_t
from threading import Thread
from typing import Any, Final, NamedTuple

from tailrace.errors import ConfigError
from tailrace.kafka import librdkafka as rd
from tailrace.kafka.deliveries import Deliveries
from tailrace.kafka.failures import LOGIN_REFUSED
from tailrace.kafka.hiding import Hiding
from tailrace.kafka.librdkafka import Problem, librdkafka, text_of, without_times
from tailrace.kafka.msk import without_marks
from tailrace.kafka.token_callback import Tokens

DESTROY_TIMEOUT: Final = 5.0
_REMEMBERED: Final = 3
# Only failures and log lines are needed as events: what a flush has delivered needs no report.
_OURS: Final = {"delivery.report.only.error": "true", "log.queue": "true"}
_DEFAULTS: Final = {"partitioner": "murmur2_random"}  # Java's default for records with a key


class Failed(NamedTuple):
    """A message that was not delivered: its destination, number and size, and the reason."""

    topic: str
    partition: int
    number: int
    size: int
    problem: Problem


class Client:
    """A producing instance. It belongs to the process that created it.

    Attributes:
        lib: the library's functions.
        handle: librdkafka's, for these functions.
        refused: the broker's refusal of the login, if any: librdkafka itself never gives up.
        refused_since: its time, by the monotonic clock.
        deliveries: what has been delivered, if it is counted.

    """

    def __init__(self, options: Mapping[str, str], *, counts: bool = False) -> None:
        """`counts`: count what is delivered, by compiled code."""
        self.lib = librdkafka()
        self._shown = Hiding(options)
        self._process = os.getpid()
        self._errors: deque[str] = deque(maxlen=_REMEMBERED)
        self.refused: Problem | None = None
        self.refused_since = 0.0
        self._topics: dict[str, int] = {}
        self._tokens = Tokens.of(self.lib, options)
        self.deliveries = Deliveries(self.lib) if counts else None
        self.handle = self._made({**_DEFAULTS, **without_marks(options), **_OURS})
        self._queue = self.lib.queue_get_main(self.handle)
        self.lib.set_log_queue(self.handle, None)
        # tokens are refreshed on librdkafka's own thread: otherwise only while somebody polls
        if "oauthbearer" in options.get("sasl.mechanisms", options.get("sasl.mechanism", "")).lower():
            self.lib.take_error(self.lib.sasl_background_callbacks_enable(self.handle))

    def topic(self, name: str) -> int:
        """The handle of a topic; cached."""
        if name not in self._topics:
            handle = self.lib.topic_new(self.handle, name.encode(), None)
            if not handle:
                raise ConfigError(f"{name!r} can't be a topic's name; look at topic.prefix and the routing")
            self._topics[name] = handle
        return self._topics[name]

    def option(self, name: str) -> str:
        """An option as librdkafka understood it."""
        text, size = ctypes.create_string_buffer(rd.TEXT_SIZE), c_size_t(rd.TEXT_SIZE)
        self.lib.conf_get(self.lib.conf(self.handle), name.encode(), text, ctypes.byref(size))
        return text_of(text.value)

    def poll(self, seconds: float) -> Iterator[Failed]:
        """Messages that have failed meanwhile, the largest of each batch; waits up to `seconds` for the first event."""
        milliseconds = int(seconds * 1000)
        while event := self.lib.queue_poll(self._queue, milliseconds):
            milliseconds = 0
            try:
                yield from self._failed(event)
            finally:
                self.lib.event_destroy(event)

    def take_error(self, error: int | None) -> Problem | None:
        """The problem of an `rd_kafka_error_t`; the fatal error's text if there is one."""
        problem = self.lib.take_error(error)
        return self.fatal_problem() or problem if problem else None

    def fatal_problem(self) -> Problem | None:
        """Why this instance can no longer be used."""
        text = ctypes.create_string_buffer(rd.TEXT_SIZE)
        code = self.lib.fatal_error(self.handle, text, rd.TEXT_SIZE)
        return Problem(code, self.lib.name_of(code), text_of(text.value), fatal=True) if code else None

    def last_errors(self) -> str:
        """The last background errors: a refused connection, a name that does not resolve."""
        return "; ".join(self._errors)

    def clear_errors(self) -> None:
        """Forget earlier background errors: after a success they explain nothing."""
        self._errors.clear()
        self.refused = None

    def close(self, held: Any) -> None:
        """Drop queued messages and close; `held` is kept until the last message is gone, even if that takes longer."""
        handle, self.handle = self.handle, 0
        if not handle or os.getpid() != self._process:
            return  # after a fork the threads that must end do not exist
        self.lib.purge(handle, rd.PURGE_QUEUE | rd.PURGE_IN_FLIGHT | rd.PURGE_NON_BLOCKING)
        self.lib.queue_destroy(self._queue)
        for topic in self._topics.values():
            self.lib.topic_destroy(topic)
        self._topics.clear()
        kept = (held, self._tokens, self.deliveries)
        end = Thread(target=_destroy, args=(handle, kept), name="kafka-producer-end", daemon=True)
        end.start()
        end.join(DESTROY_TIMEOUT)

    def _made(self, options: Mapping[str, str]) -> int:
        text = ctypes.create_string_buffer(rd.TEXT_SIZE)
        conf = self.lib.conf_new()
        for name, value in options.items():
            if self.lib.conf_set(conf, name.encode(), str(value).encode(), text, rd.TEXT_SIZE):
                self.lib.conf_destroy(conf)
                raise ConfigError(f"librdkafka refuses {name}: {self._shown(text_of(text.value))}")
        if self._tokens is not None:
            self._tokens.given_to(conf)
        if self.deliveries is not None:
            self.deliveries.given_to(conf)
        self.lib.conf_set_events(conf, rd.EVENT_DELIVERY | rd.EVENT_LOG | rd.EVENT_ERROR)
        handle = self.lib.new(rd.PRODUCER, conf, text, rd.TEXT_SIZE)
        if not handle:
            self.lib.conf_destroy(conf)  # an instance would own it
            raise ConfigError(f"no Kafka producer can be made: {self._shown(text_of(text.value))}")
        return int(handle)

    def _failed(self, event: int) -> Iterator[Failed]:
        kind = self.lib.event_type(event)
        if kind == rd.EVENT_DELIVERY:
            yield from self._largest_failed(event).values()
        elif kind == rd.EVENT_ERROR:
            self._remember(self.lib.event_error(event), text_of(self.lib.event_error_string(event)))
        elif kind == rd.EVENT_LOG:
            self._remember_line(event)

    def _largest_failed(self, event: int) -> dict[int, Failed]:
        """The largest failed record of a batch by error code: one of them may have been too large."""
        largest: dict[int, Failed] = {}
        while message := self.lib.event_message_next(event):
            code, size = message.contents.err, message.contents.len + message.contents.key_len
            if code and (code not in largest or size > largest[code].size):
                largest[code] = self._failed_message(message.contents)
        return largest

    def _failed_message(self, message: rd.Message) -> Failed:
        topic = text_of(self.lib.topic_name(message.rkt))
        size = message.len + message.key_len
        return Failed(topic, message.partition, message.private or 0, size, self.lib.problem(message.err))

    def _remember(self, code: int, text: str) -> None:
        text = without_times(self._shown(text))
        said = f"{text} ({self.lib.name_of(code)})"
        if code in LOGIN_REFUSED:
            self.refused_since = self.refused_since if self.refused else time.monotonic()
            self.refused = Problem(code, self.lib.name_of(code), text)
        if said not in self._errors:
            self._errors.append(said)

    def _remember_line(self, event: int) -> None:
        """Keep log lines that are errors; the others add little."""
        facility, text, level = c_char_p(), c_char_p(), c_int()
        self.lib.event_log(event, ctypes.byref(facility), ctypes.byref(text), ctypes.byref(level))
        if level.value <= 3 and text.value and text_of(facility.value) != "FAIL":
            line = self._shown(text_of(text.value))
            if line not in self._errors:
                self._errors.append(line)


def _destroy(handle: int, held: Any) -> None:
    """Wait for librdkafka's threads to end; only then may `held` be freed."""
    librdkafka().destroy(handle)
    del held
