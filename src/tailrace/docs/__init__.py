"""Generates the reference pages: `python -m tailrace.docs` writes them, `--check` lists stale ones.

A page is rendered from the code that it documents: properties from their tables, commands from their declarations, exit
codes from the table that the command line uses, a connector's types from its type mapping, a stand-in's names from its
registry. A test runs the check, so that no property or option is added without documentation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace.connectors.registry import SPECS
from tailrace.docs.configuration import PAGES as CONFIGURATION_PAGES
from tailrace.docs.configuration import pages_of
from tailrace.docs.python_api import python_page
from tailrace.docs.tables import code, table

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference"
_CLI_INTRODUCTION = """\
# Command line

<!-- Rendered from src/tailrace/cli: python -m tailrace.docs -->

Figures, notices and errors go to standard error; events (`--to console`), findings and positions go to
standard output. An error is one line; `--verbose` shows where it happened. No command asks a question.
"""


def cli_page() -> str:
    """All commands with their options, and the exit codes."""
    import typer

    from tailrace.cli.main import app

    root = typer.main.get_command(app)
    commands = "\n".join(_command(path, command) for path, command in _commands("tailrace", root))
    return f"{_CLI_INTRODUCTION}\n{commands}\n{_exit_codes()}"


PAGES: Mapping[str, Callable[[], str]] = {
    **CONFIGURATION_PAGES,
    "cli.md": cli_page,
    "python.md": python_page,
    **{name: render for spec in SPECS.values() for name, render in pages_of(spec).MORE.items()},
}


def stale(folder: Path = REFERENCE) -> list[Path]:
    """The pages of a folder that are missing, or differ from the code."""
    return [folder / name for name, render in PAGES.items() if _text(folder / name) != render()]


def write(folder: Path = REFERENCE) -> None:
    """Write all pages to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, render in PAGES.items():
        (folder / name).write_text(render(), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them; returns the exit code."""
    if list(arguments) == ["--check"]:
        found = stale()
        for path in found:
            sys.stderr.write(f"{path.name} is stale: run ./run docs\n")
        return 1 if found else 0
    if arguments:
        sys.stderr.write("usage: python -m tailrace.docs [--check]\n")
        return 2
    write()
    return 0


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """The commands with the words to type for them, without groups of commands."""
    below = getattr(command, "commands", {})
    if not below:
        yield path, command
    for name, each in below.items():
        yield from _commands(f"{path} {name}", each)


def _command(path: str, command: Any) -> str:
    shown = sorted(command.params, key=lambda param: param.param_type_name != "argument")
    typed = " ".join([path, *(_typed(param) for param in shown)])
    rows = [(code(_name(param)), _need(param), param.help or "") for param in shown]
    lines = table(("Argument or option", "Default", "Meaning"), rows)
    return "\n".join([f"## {path}", "", "```", typed, "```", "", command.help or "", "", *lines, ""])


def _typed(param: Any) -> str:
    """A parameter in a command's synopsis: `NAME`, `--name VALUE`, `[--name]`."""
    return _name(param) if param.required else f"[{_name(param)}]"


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    value = "" if param.is_flag else f" {param.metavar or param.name.upper()}"
    return f"{param.opts[0]}{value}"


def _need(param: Any) -> str:
    if param.required:
        return "**required**"
    return "" if param.default in (None, False) else code(str(param.default))


def _exit_codes() -> str:
    from tailrace.cli.exit_codes import EXIT_CODES

    rows = [
        (str(each.number), each.meaning, ", ".join(code(error.__name__) for error in each.errors))
        for each in EXIT_CODES
    ]
    return "\n".join(["## Exit codes", "", *table(("Code", "Meaning", "Errors"), rows), ""])
