"""Finds the jars of a Kafka broker: given ones, or those downloaded once for each user.

`TAILRACE_KAFKA_JARS` names a folder of jars: the `libs` of a Kafka installation.
"""

from __future__ import annotations

import os
from pathlib import Path

from tailrace_standins.servers.java_jars import Unavailable, fetched_jars, jars_of_spark

KAFKA = "4.3.1"
PACKAGES = (f"org.apache.kafka:kafka_2.13:{KAFKA}", "org.slf4j:slf4j-simple:1.7.36")


def broker_jars() -> list[Path]:
    """The broker's class path. Raises `Unavailable`."""
    given = os.environ.get("TAILRACE_KAFKA_JARS")
    if given:
        return _given_jars(Path(given))
    return [*fetched_jars(f"kafka-{KAFKA}", PACKAGES), *jars_of_spark("scala-library-2.13.*.jar")]


def _given_jars(folder: Path) -> list[Path]:
    jars = sorted(folder.glob("*.jar"))
    if not any(jar.name.startswith(("kafka_2.13-", "org.apache.kafka_kafka_2.13-")) for jar in jars):
        raise Unavailable(f"TAILRACE_KAFKA_JARS={folder} holds no jar of a Kafka broker (kafka_2.13-….jar)")
    return jars
