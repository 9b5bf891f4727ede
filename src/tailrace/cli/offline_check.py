"""`tailrace check --offline`: checks any number of configurations where they do not run, with a line each.

What the transforms of a single one do is shown as well (`samples.py`).

Nothing connects, and Spark is not needed. What only this machine lacks (an environment variable, a file with a
password) is a warning: the deployment will have it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import typer
from attrs import field, frozen

from tailrace.cli.exit_codes import exit_code_for
from tailrace.cli.offline_clients import try_clients
from tailrace.cli.samples import Samples, sample_json, sample_lines, wanted
from tailrace.config.documents import flatten, read_documents
from tailrace.config.problems import Problems
from tailrace.config.properties.connect import CONNECTOR_CLASS
from tailrace.config.settings import Settings
from tailrace.config.worker import Worker
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError, UnsupportedError

ACCEPTED: Final = "accepted"
WITH_WARNINGS: Final = "accepted with warnings"
REFUSED: Final = "refused"
_FILES: Final = ("*.json", "*.properties")


@frozen(kw_only=True)
class Checked:
    """The result for one connector.

    Attributes:
        file: as named, or found in a folder.
        name: of the connector.
        connector: the configured `connector.class`; None if there is none.
        notes: assumptions.
        warnings: what has no effect, or is not known here.
        problems: why it is refused; none if it is accepted.
        settings: of an accepted one.
        document: the configuration, with what the worker's file adds.

    """

    file: str
    name: str | None = None
    connector: str | None = None
    notes: Sequence[str] = field(factory=list)
    warnings: Sequence[str] = field(factory=list)
    problems: Sequence[str] = field(factory=list)
    settings: Settings | None = None
    document: Mapping[str, Any] = field(factory=dict, repr=False)

    @property
    def verdict(self) -> str:
        """One of three."""
        return REFUSED if self.problems else WITH_WARNINGS if self.warnings else ACCEPTED

    def as_json(self) -> Mapping[str, Any]:
        """For programs."""
        return {
            "file": self.file,
            "name": self.name,
            "connector": self.connector,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "problems": list(self.problems),
        }


def check_offline(
    paths: Sequence[Path],
    worker: Worker | None,
    *,
    as_json: bool,
    strict: bool = False,
    samples: Samples | None = None,
) -> int:
    """Print the verdicts, and what transforms do; the exit code is 0 only if all are accepted."""
    found: list[Checked] = []
    for each in _checked(paths, worker, strict=strict):
        found.append(each)
        if not as_json:
            typer.echo(_line(each))
            if samples is not None:
                _print_samples(each, samples, is_alone=False)
    if as_json:
        typer.echo(json.dumps({"files": [_as_json(each, samples, is_alone=len(found) == 1) for each in found]}, indent=2))
    elif samples is None and len(found) == 1:
        _print_samples(found[0], samples, is_alone=True)
    if worker:
        _print_worker_warnings(worker)
    return exit_code_for(ConfigError()) if any(each.problems for each in found) else 0


def _print_samples(checked: Checked, asked: Samples | None, *, is_alone: bool) -> None:
    """Print what the transforms of an accepted connector do."""
    settings = checked.settings
    if settings is not None and wanted(asked, settings, is_alone=is_alone):
        for line in sample_lines(settings, checked.document, asked, offline=True):
            typer.echo(f"  {_printable(line)}")


def _as_json(checked: Checked, asked: Samples | None, *, is_alone: bool) -> Mapping[str, Any]:
    settings = checked.settings
    if settings is None or not wanted(asked, settings, is_alone=is_alone):
        return checked.as_json()
    return {**checked.as_json(), "samples": sample_json(settings, checked.document, asked)}


def _print_worker_warnings(worker: Worker) -> None:
    """Print the warnings about the worker's file."""
    for note in worker.ignored():
        typer.echo(f"note: {note}", err=True)
    for warning in worker.warnings():
        typer.echo(f"warning: {warning}", err=True)


def _line(checked: Checked) -> str:
    """The result as one line, even if messages show values with line breaks."""
    told = "; ".join(checked.problems or checked.warnings)
    notes = "; ".join(() if checked.problems else checked.notes)
    text = f"{checked.file}: {checked.verdict}" + (f": {told}" if told else "") + (f" ({notes})" if notes else "")
    return _printable(text)


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)


def _checked(paths: Iterable[Path], worker: Worker | None, *, strict: bool) -> Iterator[Checked]:
    for path in paths:
        files = sorted(each for kind in _FILES for each in path.glob(kind)) if path.is_dir() else [path]
        if not files:
            yield Checked(file=str(path), problems=[f"it is a folder without files {' and '.join(_FILES)}"])
        for file in files:
            yield from _of_file(file, worker, strict=strict)


def _of_file(path: Path, worker: Worker | None, *, strict: bool) -> Iterator[Checked]:
    of_all = Problems(strict=strict)
    try:
        documents = read_documents(path, of_all)
    except ConfigError as error:
        yield Checked(file=str(path), problems=[str(error).removeprefix(f"{path} ").removeprefix(f"{path}, ")])
        return
    if not documents:
        yield Checked(file=str(path), problems=["there is no connector in it"])
    for name, document in documents:
        problems = Problems(strict=strict, offline=True, wrong=[*of_all.wrong], warnings=[*of_all.warnings])
        yield _of_document(f"{path} ({name})" if name else str(path), document, worker, problems)


def _of_document(file: str, document: Mapping[str, Any], worker: Worker | None, problems: Problems) -> Checked:
    notes: list[str] = []
    told: Settings | None = None
    document = worker.applied_to(document, problems) if worker else document
    try:
        told = from_mapping(document, source=file, problems=problems)
        notes.extend(told.notes)
        try_clients(told, problems)
    except (ConfigError, UnsupportedError):
        pass  # which are told one by one
    flat = flatten(document, Problems())
    return Checked(
        file=file,
        name=flat.get("name"),
        connector=flat.get(CONNECTOR_CLASS.name),
        notes=notes,
        warnings=list(dict.fromkeys(problems.warnings)),
        problems=(refused := list(dict.fromkeys((*problems.wrong, *problems.not_yet)))),
        settings=None if refused else told,
        document=document,
    )
