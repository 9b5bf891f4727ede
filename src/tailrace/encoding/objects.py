"""A JSON object as part of a template: names in their order, each with what writes its value.

The one place where a template's braces, commas and quoted names are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson

from tailrace.encoding.render import Template

Member = tuple[str, Callable[[], object]]
"""The name of a member, and what writes its value into the template."""


def write_object(template: Template, members: Iterable[Member]) -> None:
    """Write an object with these members."""
    separator = b"{"
    for name, write in members:
        template.const(separator + orjson.dumps(name) + b":")
        write()
        separator = b","
    template.const(b"{}" if separator == b"{" else b"}")
