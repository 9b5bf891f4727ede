"""Renders the reference page of the functions and classes that Python programs use, from their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tailrace.docs.tables import code, table
from tailrace.object_paths import load_object

SHOWN: Final = (
    ("tailrace.stream", "tailrace.streaming.stream:stream"),
    ("tailrace.Stream", "tailrace.streaming.handle:Stream"),
    ("tailrace.StreamStatus", "tailrace.streaming.status:StreamStatus"),
    ("tailrace.State", "tailrace.streaming.status:State"),
    ("tailrace.spark.register", "tailrace.spark:register"),
)
"""The public names, and where they are."""
_INTRODUCTION: Final = """\
# Python

<!-- Rendered from the docstrings: python -m tailrace.docs -->

What a program imports; everything else is tailrace's own. [How to use it](../guides/spark-session.md).
All of it has types, which type checkers find (`py.typed`). Errors are those of
[the command line](cli.md#exit-codes): `tailrace.errors`, with `TailraceError` as the base of all.
"""
_SECTION: Final = re.compile(r"^(Args|Attributes|Returns|Raises):$", re.MULTILINE)
_ITEM: Final = re.compile(r"^ {4}(?P<names>[\w, ]+): (?P<text>.*(?:\n {8}.*)*)", re.MULTILINE)


def python_page() -> str:
    """All public names."""
    return "\n".join([_INTRODUCTION, *(line for name, place in SHOWN for line in _shown(name, load_object(place)))])


def items(documented: Any, section: str) -> dict[str, str]:
    """What a section of a docstring says, by name."""
    found: dict[str, str] = {}
    for match in _ITEM.finditer(_sections(documented).get(section, "")):
        for name in match["names"].split(","):
            found[name.strip()] = _joined(match["text"])
    return found


def members_of(one: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class of its own, in the order of the source."""
    for name, member in vars(one).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield name, member


def parameters_of(function: Any) -> list[inspect.Parameter]:
    """The parameters that a caller gives."""
    return [each for each in inspect.signature(function).parameters.values() if each.name != "self"]


def _shown(name: str, one: Any) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    if inspect.isclass(one):
        yield from _class(one)
    else:
        yield from _function(name, one)


def _class(one: type) -> Iterator[str]:
    yield from _text(one)
    if attributes := items(one, "Attributes"):
        yield from table(("Attribute", "Meaning"), [(code(name), text) for name, text in attributes.items()])
        yield ""
    if issubclass(one, str):
        yield f"Values: {', '.join(code(str(each)) for each in one)}."  # type: ignore[attr-defined]
        yield ""
    for name, member in members_of(one):
        yield f"### {one.__name__}.{name}"
        yield ""
        if isinstance(member, property):
            yield from _text(member)
        else:
            yield from _function(name, member)


def _function(name: str, function: Any) -> Iterator[str]:
    yield "```python"
    yield _signature(name, function)
    yield "```"
    yield ""
    yield from _text(function)
    told = items(function, "Args")
    rows = [(code(each.name), _default(each), told.get(each.name, "")) for each in parameters_of(function)]
    if rows:
        yield from table(("Argument", "Default", "Meaning"), rows)
        yield ""
    if returned := _sections(function).get("Returns"):
        yield f"Returns: {_joined(returned)}"
        yield ""
    if raised := items(function, "Raises"):
        yield from table(("Raises", "When"), [(code(error), text) for error, text in raised.items()])
        yield ""


def _signature(name: str, function: Any) -> str:
    """A call, with each parameter in a line of its own where there are many."""
    parts: list[str] = []
    for each in parameters_of(function):
        if each.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        kind = f": {each.annotation}" if each.annotation is not each.empty else ""
        parts.append(f"{each.name}{kind}{'' if each.default is each.empty else f' = {each.default!r}'}")
    hints = inspect.signature(function).return_annotation
    end = f") -> {hints}"
    line = f"{name}({', '.join(parts)}{end}"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {part}," for part in parts), end])


def _default(parameter: inspect.Parameter) -> str:
    return "**required**" if parameter.default is parameter.empty else code(repr(parameter.default))


def _text(documented: Any) -> Iterator[str]:
    """A docstring up to its sections, in paragraphs."""
    text = inspect.cleandoc(documented.__doc__ or "")
    first = _SECTION.search(text)
    yield (text if first is None else text[: first.start()]).strip()
    yield ""


def _sections(documented: Any) -> dict[str, str]:
    text = inspect.cleandoc(documented.__doc__ or "")
    found = list(_SECTION.finditer(text))
    ends: Sequence[int] = [*(each.start() for each in found[1:]), len(text)]
    return {each[1]: text[each.end() : end] for each, end in zip(found, ends, strict=False)}


def _joined(text: str) -> str:
    return " ".join(text.split())
