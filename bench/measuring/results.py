"""The raw results: a file of JSON lines, the first about the whole, then one a run, written as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class OtherRunError(Exception):
    """The file's results were made with other settings than those now asked for."""


@dataclass
class Results:
    """Results of one run of the program, or of several that continue each other."""

    path: Path
    header: dict[str, Any]
    lines: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def begin(cls, path: Path, header: Mapping[str, Any]) -> Results:
        """A new file, in place of an old one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"kind": "run", **header}) + "\n")
        return cls(path, dict(header))

    @classmethod
    def go_on(cls, path: Path, header: Mapping[str, Any]) -> Results:
        """With what a file has; a new one where there is none. Versions and machine must be the same."""
        if not path.exists():
            return cls.begin(path, header)
        first, *lines = [json.loads(line) for line in path.read_text().splitlines()]
        for name in ("machine", "versions"):
            if name in header and first.get(name) != header[name]:
                raise OtherRunError(
                    f"{path} has results of other {name}: {first.get(name)}; begin anew without --continue"
                )
        return cls(path, {key: value for key, value in first.items() if key != "kind"}, lines)

    @classmethod
    def read(cls, path: Path) -> Results:
        """What a file has."""
        return cls.go_on(path, {})

    def add(self, kind: str, key: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
        """Keep a result."""
        line = {"kind": kind, "key": dict(key), **figures}
        self.lines.append(line)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def has(self, kind: str, key: Mapping[str, Any]) -> bool:
        """Whether there is a result of it."""
        return any(line["kind"] == kind and line["key"] == key for line in self.lines)

    def of(self, kind: str, **wanted: Any) -> list[dict[str, Any]]:
        """The results whose keys have these values."""
        return [line for line in self.lines if line["kind"] == kind and wanted.items() <= line["key"].items()]
