"""`tailrace check`: the findings about a server, worst last, so that they stay visible.

With `--apply` the findings' SQL is run, and the server is checked again; the new findings' SQL is run as well, since
a database must be enabled before its tables can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from tailrace.cli.exit_codes import exit_code_for
from tailrace.cli.samples import Samples, sample_lines, wanted
from tailrace.config.remarks import notes_of, warnings_of
from tailrace.config.settings import Settings
from tailrace.config.worker import Worker
from tailrace.connectors import applying_of, checks_of
from tailrace.connectors.findings import Finding, Level, Statement
from tailrace.connectors.load import load_with_document
from tailrace.errors import SourceSetupError

SIGNS = {Level.OK: ("ok", "green"), Level.WARNING: ("warning", "yellow"), Level.ERROR: ("error", "bold red")}
ROUNDS: Final = 5
_WIDTH: Final = 9


def check_connector(
    config: Path,
    *,
    worker: Worker | None = None,
    apply: bool = False,
    strict: bool = False,
    samples: Samples | None = None,
) -> int:
    """Print what transforms do and the findings, and with `apply` fix them; the exit code is that of the remaining ones."""
    document, settings = load_with_document(config, worker, strict=strict)
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for note in notes_of(worker, settings):
        _line(out, "note", "cyan", note)
    for warning in warnings_of(worker, settings):
        _line(out, "warning", "yellow", warning)
    findings: Sequence[Finding] = checks_of(settings).check(settings)
    if wanted(samples, settings, is_alone=True):
        for line in sample_lines(settings, document, samples, offline=False):
            _line(out, "sample", "cyan", line)
    _print(out, findings)
    if apply:
        findings = _mended(out, settings, findings)
    failed = any(finding.level is Level.ERROR for finding in findings)
    return exit_code_for(SourceSetupError()) if failed else 0


def _mended(out: Console, settings: Settings, findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings after their SQL was run, each statement once."""
    applying, run = applying_of(settings), set[Statement]()
    for _ in range(ROUNDS):
        statements = [each for each in applying.statements_of(findings) if each not in run]
        if not statements:
            break
        run.update(statements)
        for applied in applying.apply(settings, statements):
            if applied.error is None:
                _line(out, "applied", "green", str(applied.statement))
            else:
                _line(out, "failed", "bold red", f"{applied.statement} {applied.error}")
        findings = checks_of(settings).check(settings)
        _print(out, findings)
    if not run:
        _line(out, "applied", "green", "nothing: no finding asks for a statement that can be run")
    return findings


def _print(out: Console, findings: Sequence[Finding]) -> None:
    for level, (sign, style) in SIGNS.items():
        for finding in findings:
            if finding.level is level:
                _line(out, sign, style, str(finding))


def _line(out: Console, sign: str, style: str, text: str) -> None:
    out.print(Text.assemble((f"{sign:<{_WIDTH}}", style), text))
