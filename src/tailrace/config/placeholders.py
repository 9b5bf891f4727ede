"""Values from elsewhere: `${env:NAME}`, `${file:/path:key}`, `${directory:/path:file}`.

The forms are those of Kafka's EnvVarConfigProvider, FileConfigProvider and DirectoryConfigProvider under
their usual names. What they bring in is never shown in a message: the placeholder is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tailrace.config.javaproperties import PropertiesError, parse

_PLACEHOLDER = re.compile(r"\$\{(?P<provider>[^}:]*):(?:(?P<path>[^}]*):)?(?P<key>[^}:]*)\}")


class PlaceholderError(ValueError):
    """A placeholder that can't be filled; the text says why."""


def is_placeholder(text: str) -> bool:
    """Whether the whole text comes from elsewhere, so that showing it gives nothing away."""
    return _PLACEHOLDER.fullmatch(text) is not None


def fill(text: str) -> str:
    """The text with its placeholders replaced."""
    return _PLACEHOLDER.sub(_value, text)


def _value(match: re.Match[str]) -> str:
    provider, path, key = match["provider"], match["path"] or "", match["key"]
    if provider == "env":
        return _from_environment(match.group(), key)
    if provider == "file":
        return _from_file(match.group(), Path(path), key)
    if provider == "directory":
        return _read(match.group(), Path(path) / key)
    raise PlaceholderError(
        f"{match.group()} names the provider {provider!r}; there are env, file and directory"
    )


def _from_environment(shown: str, name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise PlaceholderError(f"{shown}: the environment has no variable {name}")
    return value


def _from_file(shown: str, path: Path, key: str) -> str:
    try:
        pairs = dict(parse(_read(shown, path)))
    except PropertiesError as error:
        raise PlaceholderError(f"{shown}: {path}, {error}") from error
    if key not in pairs:
        raise PlaceholderError(f"{shown}: {path} has no property {key!r}")
    return pairs[key]


def _read(shown: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise PlaceholderError(f"{shown}: can't read {path}: {reason}") from error
