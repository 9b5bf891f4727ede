"""`tailrace check`: the findings about a server, worst last, so that they are what one sees."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from tailrace.cli.exit_codes import exit_code_for
from tailrace.config.load import load
from tailrace.connectors.mysql.checks import Level, check
from tailrace.errors import SourceSetupError

SIGNS = {Level.OK: ("ok", "green"), Level.WARNING: ("warning", "yellow"), Level.ERROR: ("error", "bold red")}


def check_connector(config: Path) -> int:
    """Print what was found; the exit code."""
    settings = load(config)
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for warning in settings.warnings:
        out.print(Text.assemble(("warning  ", "yellow"), warning))
    findings = check(settings)
    for level, (sign, style) in SIGNS.items():
        for finding in findings:
            if finding.level is level:
                out.print(Text.assemble((f"{sign:<9}", style), str(finding)))
    failed = any(finding.level is Level.ERROR for finding in findings)
    return exit_code_for(SourceSetupError()) if failed else 0
