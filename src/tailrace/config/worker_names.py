"""Properties of a Kafka Connect worker that have no meaning here, with the reason for each."""

from __future__ import annotations

import re
from typing import Final

_COORDINATION = "there are no workers that have to find each other"
_TOPICS = "the configuration is the connector's file, and the progress is kept with the target"
_REST = "there is no REST interface"
_PLUGINS = "nothing of Java is loaded"
_METRICS = "there are no metrics of the JVM's"

IGNORED: Final = tuple(
    (re.compile(pattern), reason)
    for pattern, reason in (
        (r"group\.id|session\.timeout\.ms|rebalance\.timeout\.ms|heartbeat\.interval\.ms", _COORDINATION),
        (r"worker\.(?:un)?sync\..+|connect\.protocol|scheduled\.rebalance\..+|inter\.worker\..+", _COORDINATION),
        (r"(?:offset|config|status)\.storage\..+|offset\.flush\..+|offset\.commit\..+", _TOPICS),
        (r"topic\.tracking\..+", _TOPICS),
        (r"rest\..+|(?:admin\.)?listeners(?:\..+)?|access\.control\..+|response\.http\..+", _REST),
        (r"plugin\.(?:path|discovery)|internal\.(?:key|value)\.converter(?:\..+)?", _PLUGINS),
        (r"metrics\..+|metric\.reporters|auto\.include\.jmx\.reporter", _METRICS),
        (r"confluent\..+", "it is for Confluent's own parts of a worker"),
        (r"task\.shutdown\.graceful\.timeout\.ms", "--stop-timeout says how long a stop may take"),
        (
            r"exactly\.once\.source\.support",
            "delivery is exactly once, unless the connector's tailrace.delivery.guarantee says otherwise",
        ),
        (r"connector\.client\.config\.override\.policy", "a connector may set every property of its clients"),
        (r"errors\..+", "it belongs into the connector's configuration, in Connect too"),
    )
)
"""Patterns of whole names, with the reason that the message gives."""
