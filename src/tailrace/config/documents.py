"""Reading a configuration: Kafka Connect's JSON, flat JSON, or a Java properties file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace.config.javaproperties import PropertiesError, parse
from tailrace.config.problems import Problems
from tailrace.errors import ConfigError

_BESIDE_CONFIG = {"name", "config", "tasks", "type", "initial_state"}  # of Connect's requests and answers


def read_document(path: Path) -> Mapping[str, Any]:
    """The contents of a configuration file, as they stand there."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"can't read the configuration {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 at byte {error.start}") from error
    if path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
        return _read_json(path, text)
    return _read_properties(path, text)


def flatten(document: Mapping[str, Any], problems: Problems) -> dict[str, str]:
    """Property name to text. Unwraps `{"name", "config"}`; nulls count as absent."""
    config = document.get("config")
    if not isinstance(config, Mapping):
        return _texts(document, problems)
    if surplus := sorted(set(document) - _BESIDE_CONFIG):
        problems.add(f'{", ".join(surplus)} stands beside "config"; move it inside')
    flat = _texts(config, problems)
    name = document.get("name")
    if name is not None and flat.setdefault("name", str(name)) != str(name):
        problems.add(f'the name is {name!r} outside "config" and {flat["name"]!r} inside')
    return flat


def _texts(config: Mapping[str, Any], problems: Problems) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, value in config.items():
        if isinstance(value, bool):
            texts[name] = str(value).lower()
        elif isinstance(value, str | int | float):
            texts[name] = str(value)
        elif value is not None:
            problems.add(f"{name} is a JSON {_json_type(value)}: {_instead(value)}")
    return texts


def _json_type(value: Any) -> str:
    return "object" if isinstance(value, Mapping) else "array"


def _instead(value: Any) -> str:
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        return f"write one text with commas, {','.join(value)!r}"
    return "every property is a text, a number or a boolean"


def _read_json(path: Path, text: str) -> Mapping[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return _without_repetition(path, pairs)

    try:
        document = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}, line {error.lineno}, column {error.colno}: {error.msg}") from error
    if not isinstance(document, dict):
        raise ConfigError(f"{path} holds no JSON object")
    return document


def _read_properties(path: Path, text: str) -> Mapping[str, Any]:
    try:
        return _without_repetition(path, parse(text))
    except PropertiesError as error:
        raise ConfigError(f"{path}, {error}") from error


def _without_repetition(path: Path, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise ConfigError(f"{path}: {name} stands there twice with different values")
    return found
