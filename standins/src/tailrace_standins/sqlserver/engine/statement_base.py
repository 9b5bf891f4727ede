"""The base class of statement nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Statement:
    """What all statements have: their line, and the plans made for them; ALTER TABLE its text too, for the log."""

    line: int = field(default=1, kw_only=True)
    text_in_log: str = field(default="", kw_only=True)
    plans: dict[Any, Any] = field(default_factory=dict, kw_only=True)
