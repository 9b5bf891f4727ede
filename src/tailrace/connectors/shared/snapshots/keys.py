"""What is the same of the keys by which tables are read in chunks, whatever the database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoKey:
    """A table can't be read in chunks; `reason` is the end of a sentence."""

    reason: str
