"""Renders the reference page of all names that the stand-in knows: types, functions, views, procedures.

`./run docs` writes it; a test fails if the page on disk differs from the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.cdc.messages import _TEXTS as CDC_TEXTS
from tailrace_standins.sqlserver.engine.compiling.signatures import AGGREGATES, NEIGHBOURS, RANKS, SESSION_FUNCTIONS
from tailrace_standins.sqlserver.engine.compiling.special import REFUSED, SPECIAL
from tailrace_standins.sqlserver.engine.compiling.values import GLOBALS
from tailrace_standins.sqlserver.engine.errors import TEXTS
from tailrace_standins.sqlserver.engine.functions.registry import FUNCTIONS
from tailrace_standins.sqlserver.engine.metadata.view_types import TYPE_IDS
from tailrace_standins.sqlserver.engine.options import IGNORED, REFUSED_VALUES
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.engine.system import Procedure, SystemFunction, SystemObject, SystemView
from tailrace_standins.sqlserver.engine.types import FAMILY, displayed

_INTRODUCTION: Final = """\
# Names that the SQL Server stand-in knows

<!-- Rendered from standins/src/tailrace_standins/sqlserver: python -m tailrace.docs -->

What stands here is there; what does not is refused with the error that SQL Server gives for a name that does not exist
(195 or 4121 for a function, 208 for a view, 2812 for a procedure). [What the stand-in does, and what it does
not](sqlserver-standin.md) says how near to the real one all of it comes.
"""
_UNSEEN: Final = frozenset(("null", "boolean"))  # families of the compiler, no types of T-SQL


def render() -> str:
    """The page."""
    engine = Engine()
    try:
        install(engine, automatic=False)
        objects = sorted(engine.system.objects.items())
    finally:
        engine.close()
    parts = (
        _types(),
        _functions(),
        _options(),
        _procedures(objects),
        _system_functions(objects),
        _views(objects),
        _errors(),
    )
    return "\n".join([_INTRODUCTION, *parts])


def _types() -> str:
    names = sorted(name for name in {*FAMILY, *TYPE_IDS} if name not in _UNSEEN)
    return _section(
        "Types", f"{_codes(names)}; their other names (`rowversion`, `integer`, `national character varying` …) too."
    )


def _functions() -> str:
    special = [name for name in SPECIAL if name not in REFUSED]
    lines = [
        ("Aggregates", AGGREGATES),
        ("Over windows (aggregates too, but for `STRING_AGG` and the deviations)", {*RANKS, *NEIGHBOURS}),
        ("Whose result follows from their arguments' types", special),
        ("Scalar", FUNCTIONS),
        ("That ask the session or the catalog", SESSION_FUNCTIONS),
        ("Refused by name (50900)", REFUSED),
    ]
    listed = "\n".join(f"- {title}: {_codes(sorted(names))}" for title, names in lines)
    variables = f"Variables: {_codes(name.upper() for name in sorted(GLOBALS))}"
    return _section(
        "Functions",
        f"`CAST`, `CONVERT`, `TRY_CAST`, `TRY_CONVERT`, `PARSE`, `TRY_PARSE`, `AT TIME ZONE`, and:\n\n{listed}\n\n{variables}.",
    )


def _options() -> str:
    by_name: dict[str, list[str]] = {}
    for name, value in sorted(REFUSED_VALUES):
        by_name.setdefault(name, []).append(value)
    refused = "\n".join(f"- `SET {name}` {_codes(values)}" for name, values in by_name.items())
    text = f"Taken, since their usual value is the only one there is or they change no result: {_codes(sorted(IGNORED))}.\n\n"
    return _section("SET options without effect", f"{text}Refused (50900):\n\n{refused}")


def _procedures(objects: Sequence[tuple[tuple[str, str], SystemObject]]) -> str:
    names = [f"{schema}.{name}" for (schema, name), found in objects if isinstance(found, Procedure)]
    own = "`sp_executesql`, `sp_prepare`, `sp_prepexec`, `sp_execute`, `sp_unprepare`, `sp_reset_connection` of the wire, and "
    return _section("Procedures", f"{own}{_codes(names)}.")


def _system_functions(objects: Sequence[tuple[tuple[str, str], SystemObject]]) -> str:
    rows = [
        (f"`{schema}.{name}`", _codes(displayed(of) for of in found.arguments), f"`{displayed(found.result)}`")
        for (schema, name), found in objects
        if isinstance(found, SystemFunction)
    ]
    instances = (
        "And, for each capture instance, the tables `cdc.fn_cdc_get_all_changes_…` and `cdc.fn_cdc_get_net_changes_…`."
    )
    return _section("System functions", _table(("Function", "Parameters", "Result"), rows) + "\n" + instances)


def _views(objects: Sequence[tuple[tuple[str, str], SystemObject]]) -> str:
    rows = [
        (f"`{schema}.{found.name}`", _codes(name for name, _ in found.columns))
        for (schema, _), found in objects
        if isinstance(found, SystemView)
    ]
    tables = (
        "The tables of the schema `cdc` and `msdb.dbo.cdc_jobs` are there as tables, as Microsoft's pages list them."
    )
    return _section("System views", _table(("View", "Columns"), rows) + "\n" + tables)


def _errors() -> str:
    engine: Mapping[int, str] = {number: text for number, (_, text) in TEXTS.items()}
    rows = [(str(number), _shown(text)) for number, text in sorted({**engine, **CDC_TEXTS}.items())]
    own = "50900 (the stand-in does not support …) and 50000 (the same, of the wire) are the stand-in's own."
    return _section("Errors", f"{own}\n\n" + _table(("Number", "Text"), rows).rstrip())


def _shown(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replace("_", "\\_")


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}\n"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
