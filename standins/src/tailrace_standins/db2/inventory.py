"""The shop that demos and tests have on a Db2: its tables, and the statements that make them (`inventory.sql`)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CAPTURE_SCHEMA: Final = "ASNCDC"
TABLES: Final = ("DB2INST1.PRODUCTS", "DB2INST1.PRODUCTS_ON_HAND", "DB2INST1.CUSTOMERS", "DB2INST1.ORDERS")
_SCRIPT: Final = Path(__file__).with_name("inventory.sql")


def statements() -> list[str]:
    """The statements of the script, which semicolons at ends of lines separate."""
    lines = (line for line in _SCRIPT.read_text(encoding="utf-8").splitlines() if not line.startswith("--"))
    return [part.strip() for part in "\n".join(lines).split(";\n") if part.strip(" ;\n")]
