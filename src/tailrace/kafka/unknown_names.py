"""Names that are not a property of any Kafka client, Java's or librdkafka's.

Kafka's own clients only log them, so that configurations have such names: an interceptor's, a worker's,
misspelt ones. They are ignored, with a warning. One kind is an error: a name close to a security property, or
to one that decides a record's partition. A typo must not send events in clear text, or to another partition.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tailrace.config.java_names import BY_CLIENT, is_security
from tailrace.config.spelling import ALIKE, SIMILAR, nearest
from tailrace.config.unknown_names import Verdict
from tailrace.kafka.librdkafka import knows

_JAVAS: Final = frozenset(name for rows in BY_CLIENT.values() for name in rows)
_NAMES: Final = _JAVAS | {new for rows in BY_CLIENT.values() for row in rows.values() for new in row.to} | {"partitioner"}


def is_unknown(kind: str, name: str) -> bool:
    """Whether a client of that kind has no such property, by Java's name or by librdkafka's."""
    return name not in BY_CLIENT[kind] and not knows(name)


def judge(kind: str, name: str, given: Collection[str]) -> Verdict:
    """The verdict on an unknown name; `given` are all names of the client."""
    if name in _JAVAS:
        return Verdict(f"is not a property of Kafka's {kind}, and has no effect")
    near = nearest(name, _NAMES, ALIKE)
    if near and near not in given and (is_security(near) or near.startswith("partitioner")):
        return Verdict(f"is not a property of Kafka's clients; did you mean {near}?", is_wrong=True)
    similar = nearest(name, _NAMES, SIMILAR)
    hint = f"; is {similar} meant?" if similar and similar not in given else ""
    return Verdict(f"is not a property of Kafka's clients, and has no effect{hint}")
