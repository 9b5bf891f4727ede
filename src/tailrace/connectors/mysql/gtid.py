"""Sets of global transaction identifiers, as MySQL writes, sends and compares them.

A GTID is a source (a server's UUID, since MySQL 8.3 with a tag: `uuid:tag`) and a number. A set keeps for
each source sorted, disjoint, half-open ranges of numbers. Text: MySQL manual, "GTID Format and Storage". The
binary form is that of COM_BINLOG_DUMP_GTID and of the Previous_gtids event; a set with tags has a form of its
own, which only servers that know tags understand.
"""

from __future__ import annotations

import re
import struct
import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.errors import ConfigError, LogFormatError

Ranges = tuple[tuple[int, int], ...]  # half-open, sorted, disjoint, not touching

TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}", re.IGNORECASE)
RANGE = re.compile(r"(\d+)(?:-(\d+))?")
TAGGED_FORMAT = 1
MAX_NUMBER = 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """The source part of a GTID: a server's UUID, and a tag."""

    uuid: str
    tag: str = ""

    def __str__(self) -> str:
        return f"{self.uuid}:{self.tag}" if self.tag else self.uuid


class GtidSet:
    """An immutable set of GTIDs."""

    __slots__ = ("_ranges",)

    def __init__(self, ranges: Mapping[Source, Ranges] | None = None) -> None:
        self._ranges = {source: given for source, given in sorted((ranges or {}).items()) if given}

    @classmethod
    def parse(cls, text: str) -> GtidSet:
        """From MySQL's text form; spaces and line breaks do not matter."""
        collected: dict[Source, list[tuple[int, int]]] = {}
        for group in "".join(text.split()).split(","):
            if group:
                for source, start, end in _parse_group(group):
                    collected.setdefault(source, []).append((start, end))
        return cls({source: _normalized(given) for source, given in collected.items()})

    @classmethod
    def decode(cls, data: bytes | memoryview) -> GtidSet:
        """From the binary form, with or without tags."""
        try:
            return cls(_decoded(memoryview(data)))
        except (struct.error, ValueError, IndexError) as error:
            raise LogFormatError(f"a binary GTID set of {len(data)} bytes can't be read: {error}") from error

    def encode(self) -> bytes:
        """The binary form; the tagged one only when there is a tag."""
        tagged = any(source.tag for source in self._ranges)
        count = len(self._ranges)
        header = (TAGGED_FORMAT << 56) | (count << 8) | TAGGED_FORMAT if tagged else count
        parts = [struct.pack("<Q", header)]
        for source, ranges in self._ranges.items():
            parts.append(uuid.UUID(source.uuid).bytes)
            if tagged:
                parts.append(bytes([len(source.tag) << 1]) + source.tag.encode())
            parts.append(struct.pack("<Q", len(ranges)))
            parts.extend(struct.pack("<QQ", start, end) for start, end in ranges)
        return b"".join(parts)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources with transactions in the set."""
        return tuple(self._ranges)

    def ranges(self, source: Source) -> Ranges:
        """The half-open ranges of one source."""
        return self._ranges.get(source, ())

    def contains(self, gtid: str) -> bool:
        """Whether one GTID, as text, is in the set."""
        source, number = parse_gtid(gtid)
        return _in_ranges(self.ranges(source), number)

    def add(self, gtid: str) -> GtidSet:
        """The set with one more GTID; cheap if it continues the last range, as in a log."""
        source, number = parse_gtid(gtid)
        return self.add_number(source, number)

    def add_number(self, source: Source, number: int) -> GtidSet:
        """The same, with the GTID in its parts."""
        ranges = self.ranges(source)
        if ranges and ranges[-1][1] == number:
            new: Ranges = (*ranges[:-1], (ranges[-1][0], number + 1))
        elif _in_ranges(ranges, number):
            return self
        else:
            new = _normalized([*ranges, (number, number + 1)])
        return GtidSet({**self._ranges, source: new})

    def union(self, other: GtidSet) -> GtidSet:
        """What is in either."""
        return self._combined(other, lambda a, b: _normalized([*a, *b]))

    def subtract(self, other: GtidSet) -> GtidSet:
        """What is in this set and not in the other."""
        return self._combined(other, _difference)

    def intersect(self, other: GtidSet) -> GtidSet:
        """What is in both."""
        return self._combined(other, lambda a, b: _difference(a, _difference(a, b)))

    def is_subset(self, other: GtidSet) -> bool:
        """Whether the other set has all of this one."""
        return not self.subtract(other)

    def filtered(self, wanted: Callable[[str], bool]) -> GtidSet:
        """Only the sources whose UUID is wanted; see `source_filter`."""
        return GtidSet({source: given for source, given in self._ranges.items() if wanted(source.uuid)})

    def count(self) -> int:
        """How many transactions the set holds."""
        return sum(end - start for ranges in self._ranges.values() for start, end in ranges)

    def __str__(self) -> str:
        groups: dict[str, str] = {}
        for source, ranges in self._ranges.items():
            numbers = ":".join(f"{s}" if e == s + 1 else f"{s}-{e - 1}" for s, e in ranges)
            tag = f":{source.tag}" if source.tag else ""
            groups[source.uuid] = f"{groups.get(source.uuid, source.uuid)}{tag}:{numbers}"
        return ",".join(groups.values())

    def __repr__(self) -> str:
        return f"GtidSet.parse({str(self)!r})"

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GtidSet) and self._ranges == other._ranges

    def __hash__(self) -> int:
        return hash(tuple(self._ranges.items()))

    def _combined(self, other: GtidSet, combine: Callable[[Ranges, Ranges], Ranges]) -> GtidSet:
        sources = {**self._ranges, **other._ranges}
        return GtidSet({source: combine(self.ranges(source), other.ranges(source)) for source in sources})


def parse_gtid(text: str) -> tuple[Source, int]:
    """The parts of one GTID: `uuid:number` or `uuid:tag:number`."""
    parts = text.split(":")
    if len(parts) not in {2, 3} or not parts[-1].isdecimal():
        raise ConfigError(f"{text!r} is not a GTID: it should look like uuid:number or uuid:tag:number")
    return Source(_uuid(parts[0], text), parts[1].lower() if len(parts) == 3 else ""), int(parts[-1])


def source_filter(includes: Iterable[str] = (), excludes: Iterable[str] = ()) -> Callable[[str], bool]:
    """A predicate on a source's UUID by `gtid.source.includes` or `.excludes`: regexes for the whole UUID."""
    included = [_pattern("gtid.source.includes", given) for given in includes]
    excluded = [_pattern("gtid.source.excludes", given) for given in excludes]
    if included and excluded:
        raise ConfigError("gtid.source.includes and gtid.source.excludes can't both be set: remove one of them")

    def wanted(source_uuid: str) -> bool:
        if included:
            return any(pattern.fullmatch(source_uuid) for pattern in included)
        return not any(pattern.fullmatch(source_uuid) for pattern in excluded)

    return wanted


def wanted_sources(settings: MySqlSettings) -> Callable[[str], bool]:
    """The sources whose transactions the user wants, by UUID."""
    return source_filter(settings.gtid_source_includes, settings.gtid_source_excludes)


def resumed(progress: GtidSet, executed: GtidSet, wanted: Callable[[str], bool]) -> GtidSet:
    """The set to resume from on a server that has executed this much.

    Transactions of unwanted sources count as read, so that we don't request those that the server no
    longer has. Missing transactions of every other source must still be in the log: a gap is never skipped.
    """
    return progress.union(executed.filtered(lambda source_uuid: not wanted(source_uuid)))


def _pattern(name: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(f"{name}: {text!r} is not a regular expression: {error}") from error


def _parse_group(group: str) -> Iterable[tuple[Source, int, int]]:
    """`uuid:1-3:7:tag:1-2`: ranges belong to the tag before them, or to none."""
    first, *parts = group.split(":")
    source = Source(_uuid(first, group))
    for part in parts:
        matched = RANGE.fullmatch(part)
        if matched:
            start, end = int(matched[1]), int(matched[2] or matched[1])
            if not 0 < start <= MAX_NUMBER or end > MAX_NUMBER:
                raise ConfigError(f"GTID set: {part!r} in {group!r} is out of range")
            yield source, start, end + 1
        elif TAG.fullmatch(part):
            source = Source(source.uuid, part.lower())
        else:
            raise ConfigError(f"GTID set: {part!r} in {group!r} is neither a range of numbers nor a tag")


def _uuid(text: str, whole: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise ConfigError(f"GTID: {text!r} in {whole!r} is not a UUID") from None


def _normalized(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorted, empty ones left out, touching ones joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if start >= end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _difference(a: Ranges, b: Ranges) -> Ranges:
    """What is in `a` and lies in a gap of `b`."""
    if not a or not b:
        return a
    gaps = [(1, b[0][0]), *((left[1], right[0]) for left, right in pairwise(b)), (b[-1][1], MAX_NUMBER + 2)]
    left: list[tuple[int, int]] = []
    at = 0
    for start, end in a:
        while gaps[at][1] <= start:
            at += 1
        for gap_start, gap_end in gaps[at:]:
            if gap_start >= end:
                break
            left.append((max(start, gap_start), min(end, gap_end)))
    return _normalized(left)


def _in_ranges(ranges: Ranges, number: int) -> bool:
    at = bisect_right(ranges, (number, MAX_NUMBER + 2))
    return at > 0 and ranges[at - 1][0] <= number < ranges[at - 1][1]


def _decoded(data: memoryview) -> dict[Source, Ranges]:
    (header,) = struct.unpack_from("<Q", data)
    tagged = header >> 56 == TAGGED_FORMAT
    if not tagged and header >> 56:
        raise ValueError(f"format {header >> 56} is not known")
    count = (header >> 8) & 0xFFFF_FFFF_FFFF if tagged else header
    at = 8
    found: dict[Source, Ranges] = {}
    for _ in range(count):
        source_uuid = str(uuid.UUID(bytes=bytes(data[at : at + 16])))
        at += 16
        tag = ""
        if tagged:
            length = data[at] >> 1
            tag = bytes(data[at + 1 : at + 1 + length]).decode()
            at += 1 + length
        (ranges,) = struct.unpack_from("<Q", data, at)
        numbers = struct.unpack_from(f"<{2 * ranges}Q", data, at + 8)
        at += 8 + 16 * ranges
        found[Source(source_uuid, tag)] = _normalized(zip(numbers[::2], numbers[1::2], strict=True))
    return found
