"""Id, type and data of a signal → a typed signal.

What Debezium accepts is accepted, what it warns about is `Unreadable`. Its JSON reader is not strict: it allows
comments, control characters within text and anything after the object, and a field of an unexpected type counts
as missing. If that would read, or stop, more than the sender wanted, tailrace is stricter: lists and conditions of
another type are `Unreadable`, and so are misspelt names of conditions, or of the tables if none are named. In one
case it accepts more: `additional-condition`, the older name, which 3.6 ignores, still works for an incremental
snapshot without `additional-conditions`.

Source: Debezium documentation, "Sending signals to a Debezium connector", and the behaviour of 3.6.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final, NoReturn

from tailrace.java_patterns import PatternError, split_regexes
from tailrace.signals.matching import EVERYTHING, check_expression
from tailrace.signals.model import (
    Channel,
    Condition,
    ExecuteSnapshot,
    Log,
    PauseSnapshot,
    ResumeSnapshot,
    SchemaChanges,
    Signal,
    SnapshotKind,
    SnapshotWindow,
    StopSnapshot,
    Unreadable,
)

Document = Mapping[str, Any]

_JAVA_BLANKS: Final = "".join(map(chr, range(33)))  # what Java's trim removes
_JSON_BLANKS: Final = " \t\r\n"
_COMMENT: Final = re.compile(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\r\n]*', re.DOTALL)
_OF_A_SNAPSHOT: Final = (
    "data-collections",
    "type",
    "additional-conditions",
    "additional-condition",
    "surrogate-key",
)
_CONDITIONS: Final = ("additional-conditions", "additional-condition")
_ALIKE: Final = 0.75  # as difflib counts
_NOT_HERE: Final = {
    "set-binlog-position": "tailrace takes no position from a signal; stop it and use `tailrace offsets import`",
}


class BadSignalError(ValueError):
    """A signal is invalid; the message says why."""


def parse_signal(id_: str | None, type_: str | None, data: str | None, channel: Channel) -> Signal:
    """The signal of three texts; missing or empty `data` is an empty object."""
    try:
        parse = _parser(type_)
        return parse(id_, channel, read_document(data) if data else {})
    except BadSignalError as problem:
        return Unreadable(id=id_, channel=channel, reason=str(problem))


def parse_message(text: str | bytes, channel: Channel) -> Signal:
    """The signal of a JSON object with `id`, `type` and `data`: a line of a file, the value of a Kafka record."""
    id_ = None
    try:
        message = read_document(_decoded(text))
        id_ = _id(message.get("id"))
        parse = _parser(_text(message, "type"))
        return parse(id_, channel, _data(message))
    except BadSignalError as problem:
        return Unreadable(id=id_, channel=channel, reason=str(problem))


def read_document(text: str) -> Document:
    """A JSON object, as loosely as Debezium reads it.

    Raises:
        BadSignalError: it is none.

    """
    try:
        return _object(text)
    except BadSignalError:
        bare = _COMMENT.sub(lambda match: match[1] or " ", text)
        if bare == text:
            raise
        return _object(bare)


def _object(text: str) -> Document:
    try:
        found, _ = _DECODER.raw_decode(text.lstrip(_JSON_BLANKS))
        json.dumps(found, ensure_ascii=False).encode()  # half a surrogate pair would fail much later
    except (ValueError, RecursionError) as error:
        raise BadSignalError(f"its JSON can't be read: {error}") from None
    if not isinstance(found, dict):
        raise BadSignalError(f"it should have a JSON object, not {_kind(found)}")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=_constant)


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise BadSignalError(f"it is not UTF-8: {error.reason} at byte {error.start}") from None


def _parser(type_: str | None) -> Callable[[str | None, Channel, Document], Signal]:
    if not type_:
        raise BadSignalError("it has no type")
    if type_ in _PARSERS:
        return _PARSERS[type_]
    raise BadSignalError(_NOT_HERE.get(type_, f"the type {type_!r} is not known; there are {', '.join(_PARSERS)}"))


def _execute(id_: str | None, channel: Channel, data: Document) -> Signal:
    unknown = _unknown(data)
    names = _names(data)
    if not names:
        raise BadSignalError("data-collections is missing or empty")
    kind = _snapshot_kind(data)
    return ExecuteSnapshot(
        id=id_,
        channel=channel,
        kind=kind,
        collections=_expressions(names, kind),
        conditions=_conditions(data, kind),
        surrogate_key=_filled(data, "surrogate-key"),
        unknown=unknown,
    )


def _stop(id_: str | None, channel: Channel, data: Document) -> Signal:
    unknown, kind = _unknown(data), _snapshot_kind(data)
    collections = _expressions(_names(data), kind)
    return StopSnapshot(id=id_, channel=channel, kind=kind, collections=collections, unknown=unknown)


def _log(id_: str | None, channel: Channel, data: Document) -> Signal:
    message = _text(data, "message")
    if not message:
        raise BadSignalError("message is missing or empty")
    return Log(id=id_, channel=channel, message=message)


def _schema_changes(id_: str | None, channel: Channel, data: Document) -> Signal:
    changes, database = _list(data, "changes"), _text(data, "database")
    if not changes:
        raise BadSignalError("changes is missing or empty")
    if not database:
        raise BadSignalError("database is missing or empty")
    if wrong := next((each for each in changes if not isinstance(each, dict)), None):
        raise BadSignalError(f"each of changes should be an object, not {_kind(wrong)}")
    return SchemaChanges(
        id=id_, channel=channel, database=database, schema=_text(data, "schema"), changes=tuple(changes)
    )


_PARSERS: Final[dict[str, Callable[[str | None, Channel, Document], Signal]]] = {
    "execute-snapshot": _execute,
    "stop-snapshot": _stop,
    "pause-snapshot": lambda id_, channel, _: PauseSnapshot(id=id_, channel=channel),
    "resume-snapshot": lambda id_, channel, _: ResumeSnapshot(id=id_, channel=channel),
    "log": _log,
    "schema-changes": _schema_changes,
    "snapshot-window-open": lambda id_, channel, _: SnapshotWindow(id=id_, channel=channel),
    "snapshot-window-close": lambda id_, channel, _: SnapshotWindow(id=id_, channel=channel),
}


def _snapshot_kind(data: Document) -> SnapshotKind:
    text = _text(data, "type")
    if text is None:
        return SnapshotKind.INCREMENTAL
    try:
        return SnapshotKind(text.lower())
    except ValueError:
        raise BadSignalError(f"the type of the snapshot is {text!r}; it can be incremental or blocking") from None


def _unknown(data: Document) -> tuple[str, ...]:
    """Unknown names in a snapshot signal's data, with suggestions."""
    return tuple(_unknown_name_text(name, data) for name in data if name not in _OF_A_SNAPSHOT)


def _unknown_name_text(name: str, data: Document) -> str:
    for meant in get_close_matches(name.lower().replace("_", "-"), _OF_A_SNAPSHOT, 1, _ALIKE):
        if meant in _CONDITIONS or (meant == "data-collections" and meant not in data):
            raise BadSignalError(f"{name!r} in its data means nothing; write {meant!r}")
        return f"{name!r} (did you mean {meant!r}?)"
    return repr(name)


def _names(data: Document) -> list[str]:
    names = _only_list(data, "data-collections")
    if any(not isinstance(name, str) for name in names):
        raise BadSignalError("each of data-collections should be text")
    return [name.strip(_JAVA_BLANKS) for name in names]


def _expressions(names: list[str], kind: SnapshotKind) -> tuple[str, ...]:
    """Checked; for a blocking snapshot each may be a list with commas, as in `table.include.list`."""
    try:
        if kind is SnapshotKind.BLOCKING:
            names = [part for name in names for part in split_regexes(name)]
        for name in names:
            check_expression(name)
    except PatternError as error:
        raise BadSignalError(f"data-collections: {error}") from None
    return tuple(names)


def _conditions(data: Document, kind: SnapshotKind) -> tuple[Condition, ...]:
    given = {name: data.get(name) for name in _CONDITIONS if data.get(name) not in ("", {}, [])}  # these select nothing
    found = tuple(_condition(each) for each in _only_list(given, "additional-conditions"))
    older = _filled(given, "additional-condition")
    if not isinstance(text := given.get("additional-condition"), str | None):
        raise BadSignalError(f"additional-condition should be text, not {_kind(text)}")
    if not found and older is not None and kind is SnapshotKind.INCREMENTAL:
        return (Condition(EVERYTHING, older),)
    return found


def _condition(given: Any) -> Condition:
    if not isinstance(given, dict):
        raise BadSignalError(f"each of additional-conditions should be an object, not {_kind(given)}")
    collection, wanted = _text(given, "data-collection"), _text(given, "filter")
    if collection is None or wanted is None:
        raise BadSignalError("each of additional-conditions needs data-collection and filter")
    try:
        check_expression(collection)
    except PatternError as error:
        raise BadSignalError(f"additional-conditions: {error}") from None
    return Condition(collection, wanted)


def _data(message: Document) -> Document:
    data = message.get("data")
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadSignalError(f"data should be a JSON object, not {_kind(data)}")
    return data


def _id(given: Any) -> str | None:
    """The id as text, also of a number."""
    return str(given) if isinstance(given, int | float | str) and not isinstance(given, bool) else None


def _text(data: Document, name: str) -> str | None:
    found = data.get(name)
    return found if isinstance(found, str) else None


def _filled(data: Document, name: str) -> str | None:
    """Text that is not blank."""
    text = _text(data, name)
    return text if text and not text.isspace() else None


def _list(data: Document, name: str) -> list[Any]:
    found = data.get(name)
    return found if isinstance(found, list) else []


def _only_list(data: Document, name: str) -> list[Any]:
    """A list, or nothing at all."""
    if not isinstance(given := data.get(name), list | None):
        raise BadSignalError(f"{name} should be a list, not {_kind(given)}")
    return given or []


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return {dict: "an object", list: "a list", str: "text", bool: "true or false"}.get(type(value), "a number")
