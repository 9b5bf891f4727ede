"""Real transforms and converters of Kafka Connect as a function: lines of JSON in, records out.

    with ConnectParts() as parts:
        outcomes = parts.run(lines, [Transform("io.debezium.transforms.ExtractNewRecordState")], value=JSON)

A line is a source record: `{"topic", "key", "value"}` and optionally `"headers"`, `"timestamp"` (milliseconds) and `"partition"`.
A key or value is `{"schema", "payload"}`, as JsonConverter writes it, or None where it is null without a schema. Headers are
pairs of a name and such a message.

The Java machine runs in a child process, whose start takes seconds: many jobs can go to one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.differential.debezium import QUICK_START, SILENT
from tests.differential.jars import java_home, libjvm

from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.connect_jars import connect_jars

Line = Mapping[str, Any]
_TAIL = 4000  # characters of what a child that died had printed


class ConnectPartsError(Exception):
    """The job can't be done: a class, an option, or the child itself; the message says why."""


@dataclass(frozen=True)
class Predicate:
    """Which records a transform is for."""

    type: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Transform:
    """A transform by its class, with its options; `negate`: it is for the records that the predicate is false of."""

    type: str
    options: Mapping[str, str] = field(default_factory=dict)
    predicate: Predicate | None = None
    negate: bool = False


@dataclass(frozen=True)
class Converter:
    """A converter by its class, with its options."""

    type: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ConnectRecord:
    """What a producer of Kafka would be given; schemas are JSON text."""

    topic: str
    partition: int | None
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    key_schema: str | None = None
    value_schema: str | None = None


@dataclass(frozen=True)
class Failure:
    """Class and message of the root cause of a record's failure."""

    error: str


Outcome = Sequence[ConnectRecord] | Failure
"""What one line becomes: no record, or one; or a failure."""

JSON = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "false"})
JSON_WITH_SCHEMAS = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "true"})
SIMPLE_HEADERS = Converter("org.apache.kafka.connect.storage.SimpleHeaderConverter")


class ConnectParts:
    """A child process that runs jobs, one after the other."""

    def __init__(self, jars: Sequence[Path] | None = None) -> None:
        """`jars`: the class path; None: that of Kafka Connect with Debezium's transforms (`connect_jars`).

        Raises `Unavailable` or `UnavailableError` if there is no Java or the jars can't be fetched.
        """
        home = java_home()
        self._settings = {
            "libjvm": str(libjvm(home)),
            "java_options": [*QUICK_START, *SILENT],
            "jars": [str(jar) for jar in (connect_jars() if jars is None else jars)],
        }
        self._printed = tempfile.TemporaryFile("w+")  # noqa: SIM115 -- closed by __exit__
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self._child = self._started()
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.stdin.close()
            self._child.kill()  # Java's own end waits for threads of clients
            self._child.wait()
            self._child.stdout.close()
        self._printed.close()

    def run(
        self,
        lines: Sequence[Line],
        transforms: Sequence[Transform] = (),
        *,
        key: Converter = JSON,
        value: Converter = JSON,
        header: Converter = SIMPLE_HEADERS,
    ) -> list[Outcome]:
        """What each line becomes. Raises `ConnectPartsError` if the chain can't be configured."""
        answer = self._answer(
            {
                "lines": list(lines),
                "transforms": [_stage(each) for each in transforms],
                "key": _part(key),
                "value": _part(value),
                "header": _part(header),
            }
        )
        if "error" in answer:
            raise ConnectPartsError(answer["error"])
        return [_outcome(each) for each in answer["lines"]]

    def _answer(self, job: dict[str, Any]) -> dict[str, Any]:
        if self._child is None:
            raise ConnectPartsError("not started: use it as a context")
        try:
            self._child.stdin.write(json.dumps(job) + "\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        line = self._child.stdout.readline()
        if not line:
            raise self._died()
        return json.loads(line)

    def _died(self) -> ConnectPartsError:
        self._printed.seek(0)
        return ConnectPartsError(f"the child ended with {self._child.wait()}: {self._printed.read()[-_TAIL:]}")

    def _started(self) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [*dying_with_parent(), sys.executable, str(Path(__file__).with_name("connect_engine.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            text=True,
            encoding="utf-8",
        )
        child.stdin.write(json.dumps(self._settings) + "\n")
        child.stdin.flush()
        return child


def _part(part: Converter | Predicate) -> dict[str, Any]:
    return {"type": part.type, "options": dict(part.options)}


def _stage(transform: Transform) -> dict[str, Any]:
    predicate = None if transform.predicate is None else _part(transform.predicate)
    return {"type": transform.type, "options": dict(transform.options), "predicate": predicate, "negate": transform.negate}


def _outcome(answer: Any) -> Outcome:
    if isinstance(answer, dict):
        return Failure(answer["error"])
    return tuple(_record(each) for each in answer)


def _record(answer: dict[str, Any]) -> ConnectRecord:
    return ConnectRecord(
        topic=answer["topic"],
        partition=answer["partition"],
        timestamp=answer["timestamp"],
        key=_bytes(answer["key"]),
        value=_bytes(answer["value"]),
        headers=tuple((name, _bytes(value)) for name, value in answer["headers"]),
        key_schema=answer["key_schema"],
        value_schema=answer["value_schema"],
    )


def _bytes(digits: str | None) -> bytes | None:
    return None if digits is None else bytes.fromhex(digits)
