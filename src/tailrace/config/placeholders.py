"""Replaces placeholders by their values: `${env:NAME}`, `${file:/path:key}`, `${directory:/path:file}`.

These are Kafka's EnvVarConfigProvider, FileConfigProvider and DirectoryConfigProvider under their usual names. Messages show
the placeholder and never its value, which is often a secret.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tailrace.config.javaproperties import PropertiesError, parse
from tailrace.config.providers import OURS, instead_of, is_provider

_PLACEHOLDER = re.compile(r"\$\{(?P<provider>[^}:]*):(?:(?P<path>[^}:]*):)?(?P<key>[^}]*)\}")
"""As Connect's ConfigTransformer parses it: the provider ends at the first colon, the path at the second."""
_BRACED = re.compile(r"\$\{[^}]*\}")


class PlaceholderError(ValueError):
    """A placeholder that can't be replaced; the text says why."""


_known: dict[str, str] = {}
"""Values that were found on another machine, by their placeholders."""


def is_placeholder(text: str) -> bool:
    """Whether the whole text is one placeholder, so that showing it reveals no secret."""
    match = _PLACEHOLDER.fullmatch(text)
    return match is not None and match["provider"] in OURS


def know(values: Mapping[str, str]) -> None:
    """From now on these values replace their placeholders."""
    _known.update(values)


@contextmanager
def known_from_elsewhere(values: Mapping[str, str]) -> Iterator[None]:
    """Until the end of the block these values replace their placeholders, whatever this machine has."""
    before = dict(_known)
    know(values)
    try:
        yield
    finally:
        _known.clear()
        _known.update(before)


def values_in(texts: Iterable[str]) -> dict[str, str]:
    """The values of all placeholders in some texts, by the placeholder.

    Raises:
        PlaceholderError: one can't be had; the text names the placeholder.

    """
    found: dict[str, str] = {}

    def note(match: re.Match[str]) -> str:
        found[match.group()] = _value(match)
        return ""

    for text in texts:
        with_replaced(text, note)
    return {placeholder: value for placeholder, value in found.items() if placeholder != value}


def left_as_it_is(text: str) -> bool:
    """Whether it has a `${…}` that is no placeholder of a config provider."""
    return any(_provider_of(each.group()) is None for each in _BRACED.finditer(text, 0, _end_of_last(text)))


def fill(text: str, filled: dict[str, str] | None = None) -> str:
    """The text with its placeholders replaced; a `${…}` that names no config provider stays, as in Connect.

    `filled` gets the placeholder of each value that was put in, so that messages can show that instead.

    Raises:
        PlaceholderError: the value can't be had; the text names the placeholder.

    """

    def value(match: re.Match[str]) -> str:
        found = _value(match)
        if filled is not None and found != match.group():
            filled[found] = match.group()
        return found

    return with_replaced(text, value)


def with_replaced(text: str, value: Callable[[re.Match[str]], str]) -> str:
    """The text with each placeholder replaced by `value`, which gets a match with groups `provider`, `path` and `key`."""

    def of_braced(braced: re.Match[str]) -> str:
        match = _PLACEHOLDER.fullmatch(braced.group())
        return value(match) if match else braced.group()

    end = _end_of_last(text)
    return _BRACED.sub(of_braced, text[:end]) + text[end:]


def _end_of_last(text: str) -> int:
    """The end of the last placeholder that is possible.

    After the last brace a search would run from each `${` to the end of the text, which takes quadratic time.
    """
    return text.rfind("}") + 1


def _provider_of(placeholder: str) -> re.Match[str] | None:
    match = _PLACEHOLDER.fullmatch(placeholder)
    return match if match and is_provider(match["provider"], match["path"]) else None


def _value(match: re.Match[str]) -> str:
    if (known := _known.get(match.group())) is not None:
        return known
    provider, path, key = match["provider"], match["path"], match["key"]
    if _provider_of(match.group()) is None:
        return match.group()
    if provider == "env":
        return _from_environment(match.group(), key)
    if provider not in OURS:
        raise PlaceholderError(f"${{{provider}:…}} {instead_of(provider, path, key)}")
    if not path:
        raise PlaceholderError(f"{match.group()} {_without_key(provider, Path(key))}")
    return _from_file(match.group(), Path(path), key) if provider == "file" else _in(match.group(), Path(path), key)


def _without_key(provider: str, path: Path) -> str:
    if provider == "directory":
        return f"names no file in the directory: it must be ${{directory:{path.parent}:{path.name}}}"
    return (
        f"names a file and no key: write ${{file:{path}:KEY}} for a line KEY=… of it, or "
        f"${{directory:{path.parent}:{path.name}}} where the file holds the value and nothing else"
    )


def _from_environment(shown: str, name: str) -> str:
    value = os.environ.get(name) if name.isprintable() else None
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


def _in(shown: str, directory: Path, name: str) -> str:
    if Path(name).name != name:
        raise PlaceholderError(f"{shown}: {name!r} is no name of a file in {directory}")
    if directory.is_file():
        raise PlaceholderError(f"{shown}: {directory} is a file; for one of its properties write ${{file:{directory}:{name}}}")
    return _read(shown, directory / name)


def _read(shown: str, path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and may never end")  # noqa: TRY301 - told as the others
        return path.read_text(encoding="utf-8")
    except IsADirectoryError:
        raise PlaceholderError(
            f"{shown}: {path} is a directory; for a file in it write ${{directory:{path}:FILE}}"
        ) from None
    except UnicodeDecodeError:
        raise PlaceholderError(f"{shown}: can't read {path}: it is not UTF-8") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that can't be a path"
        raise PlaceholderError(f"{shown}: can't read {path}: {reason}") from error
