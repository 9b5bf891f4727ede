"""What an error of librdkafka means for a lane.

There are three kinds. Somebody else has the lane: this task ends (`FencedError`). The same records would
never be accepted: a size, a right, a topic, a broker that lacks a feature; a retry would not help, so
the error says what to change. Anything else leaves open how much has arrived, or requires an
abort: then the sink is lost with what was not committed, and a new one reads the progress.
"""

from __future__ import annotations

from typing import Final

from tailrace.errors import ConfigError, DeliveryError, FencedError, SinkLostError, TailraceError, UnsupportedError
from tailrace.kafka.librdkafka import Problem

# Negative codes are librdkafka's own, positive ones the Kafka protocol's.
QUEUE_FULL: Final = -184
MSG_SIZE_TOO_LARGE: Final = 10
RECORD_LIST_TOO_LARGE: Final = 18
TOO_LARGE: Final = frozenset({MSG_SIZE_TOO_LARGE, RECORD_LIST_TOO_LARGE})

_STATE: Final = -172
_PURGE_QUEUE: Final = -152
_ANOTHER_RECORD: Final = -138
_PURGE_INFLIGHT: Final = -151
_FATAL: Final = -150
CONSEQUENCES: Final = frozenset({_STATE, _PURGE_QUEUE, _PURGE_INFLIGHT, _FATAL, _ANOTHER_RECORD})
"""Errors that only follow from another one, of the transaction, the instance, or the same batch."""

_AUTHENTICATION: Final = -169
_SSL: Final = -181
SASL_AUTHENTICATION_FAILED: Final = 58
LOGIN_REFUSED: Final = frozenset({_AUTHENTICATION, _SSL, SASL_AUTHENTICATION_FAILED})
"""Background errors that repeat forever, while every call waits for its timeout."""

_FENCED: Final = frozenset({-144, 47, 90})  # _FENCED, INVALID_PRODUCER_EPOCH, PRODUCER_FENCED

_UNSUPPORTED: Final = {
    -165: "the broker does not do this; where it knows no transactions, set tailrace.delivery.guarantee=at-least-once",
    35: "the broker does not do this; where it knows no transactions, set tailrace.delivery.guarantee=at-least-once",
    43: "the topic's message format is older than Kafka 0.11; raise it on the broker",
}
_SETUP: Final = {
    29: "give the user Write (and Describe) on the topic",
    31: "give the user IdempotentWrite on the cluster",
    33: "set sasl.mechanism in producer.override.* to one that the broker offers",
    50: "set producer.override.transaction.timeout.ms to no more than the broker's transaction.max.timeout.ms",
    53: "give the user Write and Describe on the transactional id (tailrace.transactional.id.prefix)",
    76: "the broker does not know the codec: set another producer.override.compression.type",
    _AUTHENTICATION: "look at sasl.* and security.protocol in producer.override.*",
    _SSL: "look at ssl.* and security.protocol in producer.override.*",
    SASL_AUTHENTICATION_FAILED: "look at sasl.* and security.protocol in producer.override.*",
}
_NOT_THERE: Final = frozenset({3, -188})
"""A topic is unknown that was looked up, and created if need be, before the first record (`topics`): a new sink does so again.

Right after that a transaction's coordinator, another broker than the one that was asked, may not have heard of it yet.
"""
_NEVER: Final = {
    -190: "the topic has fewer partitions than are asked for: look at the options that set a partition",
    17: "Kafka takes letters, digits, '.', '_' and '-' in a topic's name: look at topic.prefix and the routing",
    21: "set producer.override.acks to all",
    32: "the topic refuses the record's timestamp: look at its message.timestamp.* settings",
    44: "a policy of the broker's refuses it",
    87: "the topic refuses the record: a compacted topic takes no record without a key",
    **dict.fromkeys(TOO_LARGE, "raise producer.override.max.request.size and the topic's max.message.bytes"),
}


def error_of(problem: Problem, doing: str, background: str = "") -> TailraceError:
    """The error to raise for a problem while `doing`; `background`: the client's background errors."""
    what = f"{doing}: {problem.text} ({problem.name})"
    if problem.code in _FENCED:
        return FencedError(
            f"{what}: another producer has taken over this transactional id,"
            " or the transaction took longer than transaction.timeout.ms"
        )
    for kind, remedies in ((UnsupportedError, _UNSUPPORTED), (ConfigError, _SETUP), (DeliveryError, _NEVER)):
        if problem.code in remedies:
            return kind(f"{what}; {remedies[problem.code]}")
    if problem.code in _NOT_THERE:
        what = f"{what}; a topic was deleted, or is too new for one of the brokers: topics are looked up again"
    return SinkLostError(f"{what}{background_text(background)}")


def background_text(background: str) -> str:
    """The background errors, as the end of a sentence."""
    return f"; the client says: {background}" if background else ""
