"""The page that keeps the benchmarks' figures: each program writes a section of its own and leaves the others alone."""

from __future__ import annotations

import re
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent / "docs" / "reference" / "benchmarks.md"


def replace_section(page: str, heading: str, body: str) -> str:
    """A page with the section under a second-level heading replaced, or put at its end where there is none."""
    new = f"## {heading}\n\n{body.strip()}\n"
    found = re.search(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if not found:
        return f"{page.rstrip()}\n\n{new}"
    rest = page[found.end() :]
    return page[: found.start()] + new + (f"\n{rest}" if rest else "")


def replace_opening(page: str, new: str) -> str:
    """A page with all that stands above its first second-level heading replaced."""
    found = re.search(r"^## ", page, re.MULTILINE)
    return new.rstrip() + "\n" + (f"\n{page[found.start() :]}" if found else "")
