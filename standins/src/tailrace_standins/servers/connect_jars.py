"""Jars of Kafka Connect's and Debezium's transforms and converters, which tests run as the ground truth of our own.

No server is started: a Java machine loads the classes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tailrace_standins.servers.java_jars import fetched_jars

CONNECT: Final = "4.3.1"
PLUGINS: Final = "3.6.1.Final"
COMMON_TRANSFORMS: Final = "0.1.0.14"
_PACKAGES: Final = (
    *(f"org.apache.kafka:connect-{part}:{CONNECT}" for part in ("api", "json", "transforms", "runtime")),
    f"io.debezium:debezium-connect-plugins:{PLUGINS}",
    f"com.github.jcustenborder.kafka.connect:kafka-connect-transform-common:{COMMON_TRANSFORMS}",
    "org.slf4j:slf4j-simple:1.7.36",
)


def connect_jars() -> list[Path]:
    """Kafka Connect with its own transforms and converters, Debezium's and others' transforms. Raises `Unavailable`."""
    return fetched_jars(f"connect-{CONNECT}-debezium-{PLUGINS}-common-{COMMON_TRANSFORMS}", _PACKAGES)
