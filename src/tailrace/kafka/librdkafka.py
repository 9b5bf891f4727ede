"""librdkafka from confluent-kafka's wheel, called through ctypes.

confluent-kafka makes a Python object of every message, which costs more than everything else for a message. The
C library below has had a stable API for years; one table lists the functions that are needed. Importing this module
creates nothing, and no handle lives in it: Spark forks its workers, and librdkafka's threads do
not survive a fork.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import re
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from tailrace.errors import TailraceError

PRODUCER: Final = 0
NO_PARTITION: Final = -1
"""The partitioner picks one."""

# Flags of `rd_kafka_conf_set_events`.
EVENT_DELIVERY: Final = 0x1
EVENT_LOG: Final = 0x4
EVENT_ERROR: Final = 0x8

UNKNOWN_PROPERTY: Final = -2
"""What `conf_set` returns."""

# Flags of `rd_kafka_purge`.
PURGE_QUEUE: Final = 0x1
PURGE_IN_FLIGHT: Final = 0x2
PURGE_NON_BLOCKING: Final = 0x4

TEXT_SIZE: Final = 1024
_TIMES: Final = re.compile(r" \(after \d+ms in state \w+(, \d+ identical error\(s\) suppressed)?\)")


class Message(ctypes.Structure):
    """`rd_kafka_message_t`: a delivery report of one message."""

    _fields_ = (
        ("err", c_int),
        ("rkt", c_void_p),
        ("partition", c_int32),
        ("payload", c_void_p),
        ("len", c_size_t),
        ("key", c_void_p),
        ("key_len", c_size_t),
        ("offset", c_int64),
        ("private", c_void_p),
    )


class Problem(NamedTuple):
    """An error of librdkafka.

    Attributes:
        code: librdkafka's (negative) or the Kafka protocol's.
        name: of the code.
        text: librdkafka's sentence.
        fatal: the instance can no longer be used.
        retriable: the same call may be made again.
        abortable: the transaction must be aborted.

    """

    code: int
    name: str
    text: str
    fatal: bool = False
    retriable: bool = False
    abortable: bool = False


_FUNCTIONS: Final[dict[str, tuple[Any, list[Any]]]] = {
    "conf_new": (c_void_p, []),
    "conf_destroy": (None, [c_void_p]),
    "conf_set": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, c_size_t]),
    "conf_get": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_size_t)]),
    "conf_set_events": (None, [c_void_p, c_int]),
    "conf_interceptor_add_on_new": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "interceptor_add_on_acknowledgement": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "conf_enable_sasl_queue": (None, [c_void_p, c_int]),
    "conf_set_oauthbearer_token_refresh_cb": (None, [c_void_p, c_void_p]),
    "oauthbearer_set_token": (
        c_int,
        [c_void_p, c_char_p, c_int64, c_char_p, c_void_p, c_size_t, c_char_p, c_size_t],
    ),
    "oauthbearer_set_token_failure": (c_int, [c_void_p, c_char_p]),
    "conf": (c_void_p, [c_void_p]),
    "new": (c_void_p, [c_int, c_void_p, c_char_p, c_size_t]),
    "destroy": (None, [c_void_p]),
    "set_log_queue": (c_int, [c_void_p, c_void_p]),
    "sasl_background_callbacks_enable": (c_void_p, [c_void_p]),
    "queue_get_main": (c_void_p, [c_void_p]),
    "queue_destroy": (None, [c_void_p]),
    "queue_poll": (c_void_p, [c_void_p, c_int]),
    "event_type": (c_int, [c_void_p]),
    "event_error": (c_int, [c_void_p]),
    "event_error_string": (c_char_p, [c_void_p]),
    "event_log": (c_int, [c_void_p, POINTER(c_char_p), POINTER(c_char_p), POINTER(c_int)]),
    "event_message_next": (POINTER(Message), [c_void_p]),
    "event_destroy": (None, [c_void_p]),
    "topic_new": (c_void_p, [c_void_p, c_char_p, c_void_p]),
    "topic_name": (c_char_p, [c_void_p]),
    "topic_destroy": (None, [c_void_p]),
    "produceva": (c_void_p, [c_void_p, c_void_p, c_size_t]),
    "flush": (c_int, [c_void_p, c_int]),
    "purge": (c_int, [c_void_p, c_int]),
    "outq_len": (c_int, [c_void_p]),
    "init_transactions": (c_void_p, [c_void_p, c_int]),
    "begin_transaction": (c_void_p, [c_void_p]),
    "commit_transaction": (c_void_p, [c_void_p, c_int]),
    "abort_transaction": (c_void_p, [c_void_p, c_int]),
    "fatal_error": (c_int, [c_void_p, c_char_p, c_size_t]),
    "error_code": (c_int, [c_void_p]),
    "error_string": (c_char_p, [c_void_p]),
    "error_is_fatal": (c_int, [c_void_p]),
    "error_is_retriable": (c_int, [c_void_p]),
    "error_txn_requires_abort": (c_int, [c_void_p]),
    "error_destroy": (None, [c_void_p]),
    "err2str": (c_char_p, [c_int]),
    "err2name": (c_char_p, [c_int]),
    "version_str": (c_char_p, []),
}


class Library:
    """The functions of the table, by their names without `rd_kafka_`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._functions = ctypes.CDLL(path)  # each call releases the GIL
        for name, (result, arguments) in _FUNCTIONS.items():
            function = self._found(name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"rd_kafka_{name} is not in the table of functions")

    def _found(self, name: str) -> Any:
        try:
            return self._functions[f"rd_kafka_{name}"]
        except AttributeError:
            raise TailraceError(
                f"{self.path} has no rd_kafka_{name}: it is too old; install a newer confluent-kafka"
            ) from None

    def address(self, name: str) -> int:
        """Where a function is, for compiled code that calls it."""
        return int(ctypes.cast(self._found(name), c_void_p).value or 0)

    def take_error(self, error: int | None) -> Problem | None:
        """The problem of an `rd_kafka_error_t`, which is destroyed."""
        if not error:
            return None
        code = self.error_code(error)
        problem = Problem(
            code,
            self.name_of(code),
            text_of(self.error_string(error)),
            fatal=bool(self.error_is_fatal(error)),
            retriable=bool(self.error_is_retriable(error)),
            abortable=bool(self.error_txn_requires_abort(error)),
        )
        self.error_destroy(error)
        return problem

    def problem(self, code: int) -> Problem:
        """A code in words."""
        return Problem(code, self.name_of(code), text_of(self.err2str(code)))

    def name_of(self, code: int) -> str:
        """The name of a code."""
        return text_of(self.err2name(code))


def knows(name: str) -> bool:
    """Whether the library has a property of that name, of whichever client."""
    library = librdkafka()
    conf = library.conf_new()
    try:
        return bool(library.conf_set(conf, name.encode(errors="replace"), b"", None, 0) != UNKNOWN_PROPERTY)
    finally:
        library.conf_destroy(conf)


def text_of(text: bytes | None) -> str:
    """A C string as one of Python's."""
    return (text or b"").decode(errors="replace")


def without_times(text: str) -> str:
    """A connection's error without durations and counts, so that repeated errors are equal."""
    return _TIMES.sub("", text)


@cache
def librdkafka() -> Library:
    """The library, loaded at first use."""
    path = _path()
    try:
        return Library(path)
    except OSError as error:
        raise TailraceError(f"librdkafka can't be loaded from {path}: {error}; reinstall confluent-kafka") from error


def _path() -> str:
    spec = find_spec("confluent_kafka")
    if spec is not None and spec.origin:
        package = Path(spec.origin).parent
        beside = sorted(package.with_name("confluent_kafka.libs").glob("librdkafka-*.so*"))
        inside = sorted((package / ".dylibs").glob("librdkafka*.dylib"))
        if beside or inside:
            return str((beside or inside)[0])
    path = ctypes.util.find_library("rdkafka")
    if path is None:
        raise TailraceError("librdkafka is not there: install confluent-kafka from a wheel, or librdkafka itself")
    return path
