"""Our own messages with a registry, as the comparisons with real converters want them: keys and values, headers in JSON."""

from tailrace.encoding.json import JsonFormat, JsonMessages
from tailrace.encoding.message_encoder import MessageEncoder
from tailrace.encoding.registered.framing import Framing
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds
from tailrace.registry.connection import RegistryConnection


class Registered:
    """Keys and values in a format (`RegisteredFormat`), with ids of a registry; `ids` as of `ConfluentIds`."""

    def __init__(self, registry, format_, **ids):
        connection = RegistryConnection(urls=(registry.url,), name="schema.registry.url", retries=0)
        self.parts = [
            RegisteredMessages(
                part, ConfluentSchemaIds(connection, ConfluentIds(part=part, **ids)), Framing.PREFIX_4, format_
            )
            for part in ("key", "value")
        ]
        self._encoder = MessageEncoder(*self.parts, JsonMessages(JsonFormat(schemas=False)))

    def __call__(self, records):
        return [self._encoder.encode(records)]


def told(differing, registry):
    """The first differences, with the two schemas."""
    lines = []
    for each in differing[:3]:
        lines.append(str(each)[:1500])
        if "failure" in each.parts:
            continue
        for part in ("key", "value"):
            pair = [getattr(side[0], part) for side in (each.theirs, each.ours)]
            if pair[0] != pair[1] and None not in pair:
                lines += [f"{part}: {registry.text(int.from_bytes(data[1:5], 'big'))}" for data in pair]
    return f"{len(differing)} differ\n" + "\n".join(lines)
