"""Writes a JSON object into a template: member names in order, each with a function that writes the value.

Braces, commas and quoted names of templates are put together here only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson

from tailrace.encoding.render import Template

Member = tuple[str, Callable[[], object]]
"""The name of a member, and the function that writes its value into the template."""


def write_object(template: Template, members: Iterable[Member]) -> None:
    """Write an object with these members."""
    separator = b"{"
    for name, write in members:
        template.const(separator + orjson.dumps(name) + b":")
        write()
        separator = b","
    template.const(b"{}" if separator == b"{" else b"}")
