"""Edits the benchmarks' page: each program replaces its own section and leaves the others unchanged."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "docs" / "reference" / "benchmarks.md"
README = ROOT / "README.md"
FIGURES = "## Figures"


def replace_section(page: str, heading: str, body: str) -> str:
    """The page with the section of a second-level heading replaced, or appended if it is missing."""
    new = f"## {heading}\n\n{body.strip()}\n"
    found = re.search(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if not found:
        return f"{page.rstrip()}\n\n{new}"
    rest = page[found.end() :]
    return page[: found.start()] + new + (f"\n{rest}" if rest else "")


def replace_opening(page: str, new: str) -> str:
    """The page with everything before its first second-level heading replaced."""
    found = re.search(r"^## ", page, re.MULTILINE)
    return new.rstrip() + "\n" + (f"\n{page[found.start() :]}" if found else "")


def replace_block(page: str, begin: str, end: str, body: str, heading: str) -> str:
    """The page with the text between two markers replaced; without the markers it is put after the heading."""
    marked = f"{begin}\n{body}\n{end}"
    if begin in page:
        return re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: marked, page, flags=re.DOTALL)
    if heading not in page:
        raise ValueError(f"the page has no heading {heading.strip('# ')}")
    return page.replace(f"{heading}\n", f"{heading}\n\n{marked}\n", 1)
