"""The file of raw results: JSON lines, first a header, then a line for each run, written as soon as the run is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class OtherRunError(Exception):
    """The file's results were made with other settings, so that new ones can't be added to it."""


@dataclass
class Results:
    """The results of one run of the program, or of several with --continue.

    Attributes:
        path: of the file.
        header: of the first run.
        lines: the results; those of another day than the first run's have a date of their own.
        today: the date of results to come.

    """

    path: Path
    header: dict[str, Any]
    lines: list[dict[str, Any]] = field(default_factory=list)
    today: str = ""

    @classmethod
    def begin(cls, path: Path, header: Mapping[str, Any]) -> Results:
        """Begin a new file, which replaces an old one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"kind": "run", **header}) + "\n")
        return cls(path, dict(header), today=str(header.get("date", "")))

    @classmethod
    def go_on(cls, path: Path, header: Mapping[str, Any]) -> Results:
        """Continue a file, or begin one. Raises `OtherRunError` if versions or machine differ."""
        if not path.exists():
            return cls.begin(path, header)
        first, *lines = [json.loads(line) for line in path.read_text().splitlines()]
        for name in ("machine", "versions"):
            if name in header and first.get(name) != header[name]:
                raise OtherRunError(
                    f"{path} has results of other {name}: {first.get(name)}; begin anew without --continue"
                )
        found = {key: value for key, value in first.items() if key != "kind"}
        return cls(path, found, lines, str(header.get("date", "")))

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read a file."""
        return cls.go_on(path, {})

    def add(self, kind: str, key: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
        """Save a result."""
        dated = {"date": self.today} if self.today != self.header.get("date", "") else {}
        line = {"kind": kind, "key": dict(key), **dated, **figures}
        self.lines.append(line)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    @property
    def dates(self) -> str:
        """The days on which results were made."""
        return " and ".join(sorted({str(self.header["date"]), *(line["date"] for line in self.lines if "date" in line)}))

    def has(self, kind: str, key: Mapping[str, Any]) -> bool:
        """Whether there is a result with this key."""
        return any(line["kind"] == kind and line["key"] == key for line in self.lines)

    def of(self, kind: str, **wanted: Any) -> list[dict[str, Any]]:
        """The results whose keys have these values."""
        return [line for line in self.lines if line["kind"] == kind and wanted.items() <= line["key"].items()]
