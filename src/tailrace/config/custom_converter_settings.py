"""What a configuration says of custom converters; plain data, which is sent to the executors."""

from __future__ import annotations

from attrs import frozen


@frozen(kw_only=True)
class CustomConverterSettings:
    """A custom converter of column values.

    Attributes:
        alias: its name in `converters`.
        type: its Java class, or `python:package.module.Name`.
        spec: the module path of a built-in one's `ConverterSpec`, `package.module:name`; "" for one in Python.
        options: its properties without the alias, as texts, sorted by name.

    """

    alias: str
    type: str
    spec: str
    options: tuple[tuple[str, str], ...] = ()
