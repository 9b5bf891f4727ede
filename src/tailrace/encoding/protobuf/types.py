"""Messages of a Protobuf file, and their text as Confluent's converter writes it.

The layout of the text is that of the library Wire, which the converter uses: schemas are compared as text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

_INDENT: Final = "  "
_VALUE_FIRST: Final = ("precision", "scale")  # the converter writes their values before their keys


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message; `label` is `repeated`, `optional` or "", `parameters` are Confluent's `field_meta`."""

    name: str
    type: str
    number: int
    label: str = ""
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Message:
    """A message with the messages that are defined in it."""

    name: str
    fields: list[MessageField] = field(default_factory=list)
    nested: dict[str, Message] = field(default_factory=dict)


def file_text(package: str, imports: Iterable[str], message: Message) -> str:
    """The text of a file with one message at its top."""
    lines = ['syntax = "proto3";']
    if package:
        lines.append(f"package {package};")
    found = [f'import "{each}";' for each in imports]
    if found:
        lines += ["", *found]
    return "\n".join([*lines, "", *_message(message)]) + "\n"


def _message(message: Message) -> list[str]:
    head = f"message {message.name} {{"
    if not message.fields and not message.nested:
        return [f"{head}}}"]
    fields = [line for each in message.fields for line in _field(each)]
    nested = [line for each in message.nested.values() for line in _message(each)]
    between = [""] if fields and nested else []  # within a nested message it is indented with that message
    return [head, *_indented(fields), *between, *_indented(nested), "}"]


def _indented(lines: list[str]) -> list[str]:
    return [_INDENT + line for line in lines]


def _field(each: MessageField) -> list[str]:
    label = f"{each.label} " if each.label else ""
    head = f"{label}{each.type} {each.name} = {each.number}"
    if not each.parameters:
        return [f"{head};"]
    pairs = [_pair(*pair) for pair in each.parameters]
    lines = [line for pair in pairs[:-1] for line in (*pair, "},")] + [*pairs[-1], "}"]
    return [f"{head} [(confluent.field_meta) = {{", "  params: [", *(f"    {line}" for line in lines), "  ]", "}];"]


def _pair(key: str, value: str) -> list[str]:
    members = [f'key: "{key}"', f'value: "{value}"']
    if key in _VALUE_FIRST:
        members.reverse()
    return ["{", f"  {members[0]},", f"  {members[1]}"]
