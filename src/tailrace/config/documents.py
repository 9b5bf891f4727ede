"""Reads configuration files: Kafka Connect's JSON, flat JSON, or a Java properties file.

JSON may be wrapped as Connect's REST interface, MSK Connect or Strimzi's operator have it. The result is one mapping of
property names to texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace.config.entries import hide_salt
from tailrace.config.javaproperties import PropertiesError, parse
from tailrace.config.problems import Problems
from tailrace.config.spelling import printable
from tailrace.errors import ConfigError

_BESIDE_CONFIG = {"name", "config", "tasks", "type", "initial_state"}  # of Connect's requests and answers
_YAML = (".yaml", ".yml")
GIVEN = "the configuration"
"""What a text or a mapping is called in messages."""


def read_document(path: Path, problems: Problems) -> Mapping[str, Any]:
    """The contents of a file that has one connector; if a name occurs twice the last value counts, as in Kafka Connect."""
    found = _read(path, problems)
    if isinstance(found, list) or _is_dump(found):
        raise ConfigError(
            f"{path} holds no JSON object: of connectors as Kafka Connect lists them, put the one into a file"
        )
    return _object(found, path)


def read_given(given: Mapping[str, Any] | str, problems: Problems) -> Mapping[str, Any]:
    """The contents of a JSON text that has one connector, or such an object itself."""
    found = _read_json(GIVEN, given, problems) if isinstance(given, str) else given
    if not isinstance(found, Mapping) or _is_dump(found):
        raise ConfigError(f"the configuration is no JSON object of one connector, but {_json_type(found)}")
    return _unwrapped(found)


def read_documents(path: Path, problems: Problems) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """The connectors of a file, as pairs of a name for messages ("" for a single one) and the document.

    A file has one connector, an array of `{"name", "config"}`, or the answer of Connect's REST interface to
    `GET /connectors?expand=info`.
    """
    found = _read(path, problems)
    if isinstance(found, list):
        return [(_name(each, at), _object(each, path)) for at, each in enumerate(found, start=1)]
    if _is_dump(found):
        return [(name, each["info"]) for name, each in found.items()]
    return [("", _object(found, path))]


def read_properties(path: Path, problems: Problems) -> Mapping[str, str]:
    """The contents of a Java properties file."""
    return _read_properties(path, _text(path), problems)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"can't read the configuration {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        utf_16 = " (it seems to be UTF-16: save it as UTF-8)" if error.object[:2] in {b"\xff\xfe", b"\xfe\xff"} else ""
        raise ConfigError(f"{path} is not UTF-8 at byte {error.start}{utf_16}") from error


def _read(path: Path, problems: Problems) -> Any:
    text = _text(path)
    if not text.strip():
        raise ConfigError(f"{path} is empty")
    if path.suffix.lower() in _YAML or text.startswith("apiVersion:"):
        raise ConfigError(
            f"{path} is YAML, which is not read: turn it into JSON, of Strimzi's KafkaConnector for example with "
            "yq -o=json '.spec.config + {\"connector.class\": .spec.class}'"
        )
    if path.suffix.lower() == ".json" or text.lstrip().startswith(("{", "[")):
        return _read_json(path, text, problems)
    return _read_properties(path, text, problems)


def _is_dump(found: Any) -> bool:
    """Whether it is `{name: {"info": {"config": ...}}}`."""
    return isinstance(found, dict) and bool(found) and all(map(_has_info, found.values()))


def _has_info(found: Any) -> bool:
    return isinstance(found, dict) and isinstance(found.get("info"), dict) and "config" in found["info"]


def _name(found: Any, number: int) -> str:
    name = found.get("name") if isinstance(found, dict) else None
    return name if isinstance(name, str) else str(number)


def _object(found: Any, path: Path) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise ConfigError(f"{path} holds no JSON object")
    return _unwrapped(found)


def _unwrapped(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The connector in Kafka Connect's form, out of the wrapping of MSK Connect or of Strimzi's `KafkaConnector`."""
    config, spec, metadata = (found.get(name) for name in ("connectorConfiguration", "spec", "metadata"))
    if isinstance(config, Mapping):
        return {"name": found.get("connectorName"), "config": config}
    if found.get("kind") == "KafkaConnector" and isinstance(spec, Mapping) and isinstance(spec.get("config"), Mapping):
        told = {"connector.class": spec.get("class"), "tasks.max": spec.get("tasksMax")}
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        return {"name": name, "config": {**spec["config"], **told}}  # the operator's own fields win over `config`
    return found


def flatten(document: Mapping[str, Any], problems: Problems) -> dict[str, str]:
    """Property names and texts. Unwraps `{"name", "config"}`; a null means that the property is absent."""
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
            problems.add(f"{printable(hide_salt(name))} is a JSON {_json_type(value)}: {_instead(value)}")
    return texts


def _json_type(value: Any) -> str:
    return "object" if isinstance(value, Mapping) else "array"


def _instead(value: Any) -> str:
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        return "write one text with commas"  # without the value, which may be a secret
    return "every property is a text, a number or a boolean"


def _read_json(path: Path | str, text: str, problems: Problems) -> Any:
    def last(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return _last_ones(pairs, problems)

    try:
        return json.loads(text, object_pairs_hook=last)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}, line {error.lineno}, column {error.colno}: {error.msg}{_no_json(error)}") from error
    except (RecursionError, ValueError) as error:
        raise ConfigError(f"{path} is JSON that can't be read: it nests too deeply, or has too long a number") from error


def _no_json(error: json.JSONDecodeError) -> str:
    """A hint about syntax that JSON lacks and people often write; Kafka Connect refuses it too."""
    before, here = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()
    if here.startswith(("//", "/*", "#")):
        return " (JSON has no comments)"
    return " (JSON has no comma before a closing bracket)" if before.endswith(",") and here.startswith(("}", "]")) else ""


def _read_properties(path: Path, text: str, problems: Problems) -> Mapping[str, str]:
    try:
        return _last_ones(parse(text), problems)
    except PropertiesError as error:
        raise ConfigError(f"{path}, {error}") from error


def _last_ones(pairs: Sequence[tuple[str, Any]], problems: Problems) -> dict[str, Any]:
    """The pairs as a dictionary: the last value of a name counts, as in Kafka Connect and in Java's `Properties`."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            told = printable(hide_salt(name))
            problems.pass_over(f"{told} stands there more than once with different values: the last one counts")
        found[name] = value
    return found
