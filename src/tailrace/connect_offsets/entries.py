"""The entries of Kafka Connect's offsets: for each connector and source partition one JSON value.

The key is `["connector's name",{"server":"topic.prefix"}]`; the second part, the source partition, is the connector's
own. Connect looks a key up by its bytes, so an existing entry keeps its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.errors import ProgressError

Offset = Mapping[str, Any]
Partition = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One connector's offset in one source partition."""

    key: bytes
    name: str
    partition: Partition
    offset: Offset

    def __str__(self) -> str:
        return f"{self.name} {compact(self.partition)}"


def find(stored: Mapping[bytes, bytes | None], name: str, partition: Partition, where: str) -> Entry:
    """The entry of a connector.

    Raises:
        ProgressError: it does not exist, and the message lists those that do; or it can't be parsed.

    """
    entries = list(_entries(stored))
    for entry in entries:
        if (entry.name, entry.partition) == (name, partition):
            return entry
    others = ", ".join(sorted(map(str, entries))) or "nothing"
    hint = _hint([entry for entry in entries if entry.partition == partition])
    raise ProgressError(
        f"{where} has no offset of the connector {name} for {compact(partition)}; there is: {others}{hint}"
    )


def find_any(stored: Mapping[bytes, bytes | None], name: str, forms: Sequence[Partition], where: str) -> Entry:
    """The first existing entry of a connector whose partition may be written in several forms.

    Raises:
        ProgressError: none exists, or it can't be parsed.

    """
    for entry in _entries(stored):
        if entry.name == name and entry.partition in forms[1:]:
            known = any((each.name, each.partition) == (name, forms[0]) for each in _entries(stored))
            return find(stored, name, forms[0], where) if known else entry
    return find(stored, name, forms[0], where)


def key_for(stored: Mapping[bytes, bytes | None], name: str, partition: Partition) -> bytes:
    """The key for a connector's offset: the existing one, else a new one."""
    for key in stored:  # Connect looks keys up by their bytes: an equal key in other bytes would be a second entry
        if _parsed_key(key) == (name, partition):
            return key
    return compact([name, dict(partition)]).encode()


def compact(document: Any) -> str:
    """JSON as Kafka Connect's converter writes it."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def _hint(others: list[Entry]) -> str:
    if len(others) != 1:
        return "; give the connector's name with --name"
    return f"; if that connector is meant: --name {others[0].name}"


def _entries(stored: Mapping[bytes, bytes | None]) -> Iterator[Entry]:
    for key, value in stored.items():
        parsed = _parsed_key(key)
        if parsed is not None and value is not None:
            yield Entry(key, *parsed, _offset(key, value))


def _parsed_key(key: bytes) -> tuple[str, Partition] | None:
    """Name and partition; None for a key of anything but a source connector."""
    try:
        parsed = json.loads(key)
    except ValueError:
        return None
    if isinstance(parsed, list) and len(parsed) == 2 and isinstance(parsed[0], str) and isinstance(parsed[1], dict):
        return parsed[0], parsed[1]
    return None


def _offset(key: bytes, value: bytes) -> Offset:
    try:
        offset = json.loads(value)
    except ValueError:
        offset = None
    if not isinstance(offset, dict):
        raise ProgressError(
            f"the offset stored for {key.decode('utf-8', 'replace')} is not a JSON object: {value[:80]!r}"
        )
    return offset
