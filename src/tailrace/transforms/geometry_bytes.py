"""Geometries as bytes: WKB, and EWKB, which has the number of the spatial reference system behind the type.

Geometries are rare, and each is a tree of its own: they are read one by one.

Source: OGC's Simple Feature Access, "Well-known Binary Representation"; PostGIS's documentation of EWKB.
"""

from __future__ import annotations

import struct
from typing import Final

_SRID: Final = 0x20000000
_Z: Final = 0x80000000
_M: Final = 0x40000000
_TYPE: Final = 0xFF
_POINT, _LINE, _POLYGON, _POINTS, _LINES, _POLYGONS, _COLLECTION = range(1, 8)


class GeometryError(ValueError):
    """Bytes that are no geometry, or can't be converted."""


def is_extended(wkb: bytes) -> bool:
    """Whether they are EWKB with a number."""
    return len(wkb) >= 5 and bool(_type_of(wkb) & _SRID)


def with_srid(wkb: bytes, srid: int | None) -> bytes:
    """EWKB of WKB. Raises `GeometryError` if there is no number."""
    if srid is None:
        raise GeometryError("a geometry has no SRID, which EWKB needs")
    if len(wkb) < 5:
        raise GeometryError("a geometry has no type")
    return wkb[:1] + struct.pack(f"{_order(wkb)}Ii", _type_of(wkb) | _SRID, srid) + wkb[5:]


def without_srid(wkb: bytes) -> bytes:
    """WKB of EWKB; WKB stays as it is."""
    if not is_extended(wkb):
        return wkb
    return wkb[:1] + struct.pack(f"{_order(wkb)}I", _type_of(wkb) & ~_SRID) + wkb[9:]


def swapped(wkb: bytes) -> bytes:
    """The geometry with the first two coordinates of each point in the other order. Raises `GeometryError` if it is none."""
    reader = _Swapping(wkb)
    try:
        reader.whole()
    except (struct.error, IndexError, RecursionError) as error:
        raise GeometryError("a geometry ends too early") from error
    return bytes(reader.written)


def _order(wkb: bytes) -> str:
    return "<" if wkb[0] == 1 else ">"


def _type_of(wkb: bytes) -> int:
    return int(struct.unpack_from(f"{_order(wkb)}I", wkb, 1)[0])


class _Swapping:
    """Reads a geometry and writes it again; numbers are written in the order of bytes of the whole."""

    def __init__(self, wkb: bytes) -> None:
        self.written = bytearray()
        self._wkb = wkb
        self._at = 0
        self._in = self._out = _order(wkb) if wkb else "<"

    def whole(self) -> None:
        """A geometry with its order of bytes and its type."""
        before = self._in
        self._in = self._byte_order()
        type_ = self._number()
        size = 2 + bool(type_ & _Z) + bool(type_ & _M)
        if type_ & _SRID:
            self._number()
        self._body(type_ & _TYPE, size)
        self._in = before

    def _body(self, kind: int, size: int) -> None:
        if kind == _POINT:
            self._point(size)
        elif kind in {_LINE, _POLYGON}:
            self._points(size) if kind == _LINE else self._rings(size)
        elif kind == _COLLECTION:
            for _ in range(self._number()):
                self.whole()
        elif kind in {_POINTS, _LINES, _POLYGONS}:
            for _ in range(self._number()):
                self._part(kind, size)
        else:
            raise GeometryError(f"{kind} is no type of geometry")

    def _part(self, kind: int, size: int) -> None:
        before = self._in
        self._in = self._byte_order()
        self._number()
        self._body(kind - _POINTS + _POINT, size)
        self._in = before

    def _rings(self, size: int) -> None:
        for _ in range(self._number()):
            self._points(size)

    def _points(self, size: int) -> None:
        for _ in range(self._number()):
            self._point(size)

    def _point(self, size: int) -> None:
        x, y, *others = struct.unpack_from(f"{self._in}{size}d", self._wkb, self._at)
        self._at += 8 * size
        self.written += struct.pack(f"{self._out}{size}d", y, x, *others)

    def _number(self) -> int:
        (number,) = struct.unpack_from(f"{self._in}I", self._wkb, self._at)
        self._at += 4
        self.written += struct.pack(f"{self._out}I", number)
        return int(number)

    def _byte_order(self) -> str:
        byte = self._wkb[self._at]
        self._at += 1
        self.written.append(byte)
        return "<" if byte == 1 else ">"
