r"""Work that signals requested, moved from the lanes of one layout to those of another.

Each lane keeps, in `Progress.signalled`, the tables that it must read again and the channels' positions.
If topics are reassigned (more or fewer lanes, other topic names), every new lane gets the work of all old ones,
and drops the tables that it does not deliver. An old lane may itself have inherited tables that it has not
dropped yet: only those that it delivers count.

    {"tables": [{"table": "\"db\".\"t\"", ...}, ...],       an incremental snapshot's, in reading order
     "paused": true,                                        it is paused
     "blocking": {"tables": [{"table": ...}], "state": ...,   `state`: it has begun
                  "structures": [...]},                       the first lane sends them
     "marks": {"kafka": 17, "file": "..."}}                 positions of the channels

Empty members are omitted, and no work at all is None. Members that this does not name are those of the first lane that
has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tailrace.errors import ProgressError

Signalled = Mapping[str, Any]


def has_unmovable(signalled: Signalled | None) -> bool:
    """Whether a lane is within a blocking snapshot, which only this lane can resume."""
    return signalled is not None and "state" in (signalled.get("blocking") or {})


def merged(each: Sequence[Signalled | None]) -> Signalled | None:
    """The initial work of every lane of a new layout; `each`: the work of the old lanes.

    Raises:
        ProgressError: one of them is within a blocking snapshot.

    """
    if any(map(has_unmovable, each)):
        raise ProgressError("a lane is within a blocking snapshot, which only the same lanes can end")
    given = [signalled for signalled in each if signalled]
    together: dict[str, Any] = {}
    for signalled in given:
        together = {**signalled, **together}
    together |= {
        "tables": _tables(signalled.get("tables") for signalled in given),
        "paused": any(signalled.get("paused") for signalled in given),
        "blocking": _blocking([signalled["blocking"] for signalled in given if signalled.get("blocking")]),
        "marks": _marks([(signalled or {}).get("marks") or {} for signalled in each]),
    }
    return {name: value for name, value in together.items() if value} or None


def own(signalled: Signalled | None, owns: Callable[[str], bool], *, is_first: bool) -> Signalled | None:
    """A lane's own share: the tables that it delivers, and for the first lane the structures to send."""
    if signalled is None:
        return None
    blocking = {**(signalled.get("blocking") or {})}
    if not is_first:
        blocking.pop("structures", None)
    blocking["tables"] = [each for each in blocking.get("tables", ()) if owns(each["table"])]
    tables = [each for each in signalled.get("tables", ()) if owns(each["table"])]
    return {**signalled, "tables": tables, "blocking": blocking if blocking["tables"] or "structures" in blocking else {}}


def only_marks(each: Sequence[Signalled | None]) -> Signalled | None:
    """The rest for lanes that start over: only the channels' positions, so that no old signal is handled again."""
    marks = _marks([(signalled or {}).get("marks") or {} for signalled in each])
    return {"marks": marks} if marks else None


def restarted(each: Sequence[Signalled | None]) -> Signalled | None:
    """The work after a move to another position: a blocking snapshot, which has one position, begins again."""
    return merged([_without_state(signalled) for signalled in each])


def is_at_work(signalled: Signalled | None) -> bool:
    """Whether tables are still to be read."""
    return bool(signalled and (signalled.get("tables") or signalled.get("blocking")))


def _without_state(signalled: Signalled | None) -> Signalled | None:
    if signalled is None or not has_unmovable(signalled):
        return signalled
    blocking = {name: value for name, value in signalled["blocking"].items() if name != "state"}
    return {**signalled, "blocking": blocking}


def _tables(lists: Iterable[Sequence[Mapping[str, Any]] | None]) -> list[Mapping[str, Any]]:
    """All tables, each once, as the first that has it says."""
    found: dict[str, Mapping[str, Any]] = {}
    for tables in lists:
        for table in tables or ():
            found.setdefault(table["table"], table)
    return list(found.values())


def _blocking(each: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    if not each:
        return {}
    structures = list(dict.fromkeys(table for blocking in each for table in blocking.get("structures", ())))
    told = {"structures": structures} if structures else {}
    return {**each[0], "tables": _tables(blocking.get("tables") for blocking in each), **told}


def _marks(each: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The smallest offset, and none if a lane has not polled yet: better to handle a signal twice than to lose it.

    The file has one reader.
    """
    marks: dict[str, Any] = {}
    offsets = [mark["kafka"] for mark in each if "kafka" in mark]
    if offsets and len(offsets) == len(each):
        marks["kafka"] = min(offsets)
    if file := next((mark["file"] for mark in each if mark.get("file")), None):
        marks["file"] = file
    return marks
