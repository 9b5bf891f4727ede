"""Partial updates of JSON: the fallback for `binlog_row_value_options=PARTIAL_JSON`.

With that option an after image may hold, instead of a document, the differences from the document before
it (none at all where it did not change). They are applied to the text of that document, value by value.
Numbers stay the text they are, so that no digit changes, and the keys of an object come out in MySQL's
order: shorter ones first, then by their bytes.

Source: MySQL source documentation, `Json_diff` (`json_diff.h`) and `Partial_update_rows_event`; MySQL manual,
"JSON Path Syntax".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.rows.doubles import LIMBS
from tailrace.connectors.mysql.rows.json_text import STACK, put_json
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry

_REPLACE, _INSERT, _REMOVE = range(3)
_LEG: Final = re.compile(r'\.("(?:[^"\\]|\\.)*"|[^.\[]+)|\[(\d+)\]')
_ESCAPE: Final = re.compile(r"\\u00..")


class _Number(str):
    """A number as its text."""

    __slots__ = ()


def patched(document: bytes, diffs: bytes) -> bytes:
    """The text of a document after its differences (in MySQL's binary form) are applied."""
    tree = _parsed(document)
    for operation, path, value in _differences(diffs):
        tree = _applied(tree, operation, path, None if value is None else _parsed(text_of(value)))
    return _written(tree).encode()


def text_of(document: bytes) -> bytes:
    """The text of one document in MySQL's binary form."""
    data = np.frombuffer(document, np.uint8).copy()
    stack, limbs = np.empty(STACK, np.int64), np.empty(LIMBS, np.uint64)
    aux = np.empty(4096 + 8 * len(data), np.uint8)
    while True:
        end = _text(data, aux, stack, limbs)
        if end == -2:
            raise ValueError("a damaged document")
        if end >= 0:
            return aux[:end].tobytes()
        aux = np.empty(2 * len(aux), np.uint8)


@entry(arg.BYTES, arg.BYTES, arg.INTS, arg.UINTS)
def _text(data: Any, aux: Any, stack: Any, limbs: Any) -> Int:
    return put_json(data, 0, len(data), aux, 0, stack, limbs)


def _differences(diffs: bytes) -> Iterator[tuple[int, list[str | int], bytes | None]]:
    """(operation, legs of the path, value) of each difference; the value of a removal is None."""
    o = 0
    while o < len(diffs):
        operation = diffs[o]
        if operation > _REMOVE:
            raise ValueError(f"operation {operation} is not known")
        n, o = _packed(diffs, o + 1)
        path, o = diffs[o : o + n].decode(), o + n
        value = None
        if operation != _REMOVE:
            n, o = _packed(diffs, o)
            value, o = diffs[o : o + n], o + n
        yield operation, _legs(path), value


def _packed(data: bytes, o: int) -> tuple[int, int]:
    """A length-encoded integer of the protocol and the place after it."""
    width = {252: 2, 253: 3, 254: 8}.get(data[o], 0)
    return (int.from_bytes(data[o + 1 : o + 1 + width], "little") if width else data[o]), o + 1 + width


def _legs(path: str) -> list[str | int]:
    legs: list[str | int] = []
    for match in _LEG.finditer(path):
        key, index = match.groups()
        legs.append(int(index) if key is None else json.loads(key) if key.startswith('"') else key)
    return legs


def _applied(tree: Any, operation: int, path: list[str | int], value: Any) -> Any:
    if not path:
        return value
    parent = tree
    for leg in path[:-1]:
        parent = parent[leg]
    last = path[-1]
    if operation == _REMOVE:
        del parent[last]
    elif operation == _INSERT and isinstance(parent, list):
        parent.insert(int(last), value)
    elif operation == _REPLACE and isinstance(parent, dict) and last not in parent:
        raise ValueError(f"there is no {last!r} to replace")
    else:
        parent[last] = value
    return tree


def _parsed(text: bytes | Bytes) -> Any:
    return json.loads(bytes(text), parse_int=_Number, parse_float=_Number)


def _written(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return "{" + ",".join(f"{_quoted(key)}:{_written(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\\u" + match[0][2:].upper(), json.dumps(text, ensure_ascii=False))
