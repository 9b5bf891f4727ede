"""The base class of statement nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Statement:
    """The attributes of all statements: their line, and their cached plans; ALTER TABLE also has its text, for the log."""

    line: int = field(default=1, kw_only=True)
    text_in_log: str = field(default="", kw_only=True)
    plans: dict[Any, Any] = field(default_factory=dict, kw_only=True)
