"""The file of Kafka Connect's FileOffsetBackingStore: one Java object, a HashMap of byte strings, serialised.

Only exactly that is parsed: a map's own fields, its size, and pairs of byte arrays, where a value may be null. Anything
else of Java's serialisation (other classes, proxies, exceptions in the stream) is refused, so a
file can't make us create other objects.

Source: Java Object Serialization Specification, chapter 6, and the serialised form of `java.util.HashMap` in its
documentation.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

from tailrace.errors import ProgressError

Entries = Mapping[bytes, bytes | None]

NULL, REFERENCE, CLASS, OBJECT, ARRAY, BLOCK, END = 0x70, 0x71, 0x72, 0x73, 0x75, 0x77, 0x78
FIRST_HANDLE: Final = 0x7E0000
HEADER: Final = b"\xac\xed\x00\x05"
HASH_MAP: Final = (
    struct.pack(">BH17sQBH", CLASS, 17, b"java.util.HashMap", 0x0507DAC1C31660D1, 3, 2)
    + struct.pack(">BH10sBH9s", ord("F"), 10, b"loadFactor", ord("I"), 9, b"threshold")
    + bytes([END, NULL])
)
BYTES_CLASS: Final = struct.pack(">BH2sQBHBB", CLASS, 2, b"[B", 0xACF317F8060854E0, 2, 0, END, NULL)
LOAD_FACTOR: Final = 0.75
FEWEST_BUCKETS: Final = 16


def read_map(data: bytes, where: str) -> dict[bytes, bytes | None]:
    """The entries; `where` names the file in errors.

    Raises:
        ProgressError: the bytes are not such a map.

    """
    if not data:
        return {}  # Connect creates an empty file before it has anything to store
    return _Reader(data, where).read()


def write_map(entries: Entries) -> bytes:
    """The bytes that Java reads as a HashMap of these entries."""
    buckets = FEWEST_BUCKETS
    while buckets * LOAD_FACTOR < len(entries):
        buckets *= 2
    pieces = [HEADER, bytes([OBJECT]), HASH_MAP, struct.pack(">fi", LOAD_FACTOR, int(buckets * LOAD_FACTOR))]
    pieces.append(struct.pack(">BBii", BLOCK, 8, buckets, len(entries)))
    known_class = BYTES_CLASS
    for text in (text for pair in entries.items() for text in pair):
        if text is None:
            pieces.append(bytes([NULL]))
            continue
        pieces += [bytes([ARRAY]), known_class, struct.pack(">i", len(text)), text]
        known_class = struct.pack(">BI", REFERENCE, FIRST_HANDLE + 2)  # the first two handles are the map's class and the map
    return b"".join([*pieces, bytes([END])])


class _Reader:
    """A cursor over the bytes, with the byte arrays that later ones may refer to."""

    def __init__(self, data: bytes, where: str) -> None:
        self._data = data
        self._at = 0
        self._where = where
        self._handles: list[bytes | None] = [None, None]  # the map's class and the map

    def read(self) -> dict[bytes, bytes | None]:
        self._expect(HEADER + bytes([OBJECT]) + HASH_MAP, "a HashMap")
        self._take(8)  # load factor and threshold, which don't matter
        self._expect(bytes([BLOCK, 8]), "the size of a HashMap")
        size = struct.unpack(">ii", self._take(8))[1]
        entries = {}
        for _ in range(size):
            key = self._bytes()
            if key is None:
                raise self._damaged("a key that is null")
            entries[key] = self._bytes()
        self._expect(bytes([END]), "the end of a HashMap")
        if self._at != len(self._data):
            raise self._damaged("more than one object")
        return entries

    def _bytes(self) -> bytes | None:
        kind = self._take(1)[0]
        if kind == NULL:
            return None
        if kind == REFERENCE:
            return self._known()
        if kind != ARRAY:
            raise self._damaged(f"something that is no byte array (0x{kind:02x})")
        self._array_class()
        length = struct.unpack(">i", self._take(4))[0]
        if length < 0:
            raise self._damaged(f"a byte array of length {length}")
        array = self._take(length)
        self._handles.append(array)
        return array

    def _array_class(self) -> None:
        if len(self._handles) == 2:
            self._expect(BYTES_CLASS, "a byte array")
            self._handles.append(None)
        else:
            self._expect(struct.pack(">BI", REFERENCE, FIRST_HANDLE + 2), "a byte array")

    def _known(self) -> bytes:
        handle = int.from_bytes(self._take(4), "big") - FIRST_HANDLE
        known = self._handles[handle] if 0 <= handle < len(self._handles) else None
        if known is None:
            raise self._damaged("a reference to something that is no byte array")
        return known

    def _expect(self, wanted: bytes, what: str) -> None:
        at = self._at
        if self._data[at : at + len(wanted)] != wanted:
            raise self._damaged(f"no {what.removeprefix('a ')} there")
        self._at += len(wanted)

    def _take(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise self._damaged("an end in the middle")
        taken = self._data[self._at : self._at + count]
        self._at += count
        return taken

    def _damaged(self, what: str) -> ProgressError:
        return ProgressError(
            f"{self._where} is not a file of Kafka Connect's offsets (offset.storage.file.filename of a standalone worker, "
            f"a HashMap of byte strings as Java writes it): at byte {self._at} it has {what}"
        )
