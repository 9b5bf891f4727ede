"""Reads the custom converters of a configuration: `converters=a,b`, `a.type=…`, `a.<property>=…`.

Each is made once here, before Spark starts, so that wrong options and Python code that can't be imported are told. The
executors make their own of `CustomConverterSettings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tailrace.config.custom_converter_settings import CustomConverterSettings
from tailrace.config.entries import Entry, hide_values
from tailrace.config.problems import Problems
from tailrace.config.spelling import ALIKE, nearest
from tailrace.connectors.registry import SPECS
from tailrace.connectors.spec import Spec
from tailrace.object_paths import load_object
from tailrace.python_objects import NotImportableError, is_python

if TYPE_CHECKING:  # columns, which most configurations load without
    from tailrace.custom_converters.spec import ConverterSpec

GUIDE: Final = "docs/guides/custom-converters.md"
_ORACLE: Final = "io.debezium.connector.oracle.converters."
_TYPE: Final = "type"


def read_custom_converters(
    kind: Spec, aliases: Sequence[str], entries: Mapping[str, Entry], problems: Problems
) -> tuple[CustomConverterSettings, ...]:
    """The custom converters in order; errors and warnings are added to `problems`."""
    if repeated := sorted({alias for alias in aliases if aliases.count(alias) > 1}):
        problems.add(f"converters names {', '.join(repeated)} more than once")
    found = [_read(kind, alias, entries, problems) for alias in dict.fromkeys(aliases)]
    return tuple(each for each in found if each is not None)


def _read(kind: Spec, alias: str, entries: Mapping[str, Entry], problems: Problems) -> CustomConverterSettings | None:
    part = {name.removeprefix(f"{alias}."): each for name, each in entries.items() if name.startswith(f"{alias}.")}
    type_ = _type(alias, part, problems)
    if not type_ or any(entry.broken for entry in part.values()):
        return None
    path = kind.custom_converters.get(type_, "")
    if not path and not is_python(type_):
        _refuse(kind, part[_TYPE], type_, problems)
        return None
    if path:
        _report_unknown(load_object(path), part, problems)
    options = tuple(sorted((name, entry.text) for name, entry in part.items() if name != _TYPE))
    settings = CustomConverterSettings(alias=alias, type=type_, spec=path, options=options)
    return settings if _can_be_made(settings, part, problems) else None


def _type(alias: str, part: Mapping[str, Entry], problems: Problems) -> str:
    entry = part.get(_TYPE)
    if entry is None or not (entry.broken or entry.text.strip()):
        problems.add(f"{alias}.type is missing: converters names {alias}")
        return ""
    return entry.text.strip()


def _can_be_made(settings: CustomConverterSettings, part: Mapping[str, Entry], problems: Problems) -> bool:
    from tailrace.custom_converters.conversions import made

    try:
        made(settings)
    except NotImportableError as error:
        problems.add_unknown([part[_TYPE].name], f"{part[_TYPE].label}: {hide_values(str(error), part.values())}")
        return False
    except ValueError as error:
        text = hide_values(str(error), part.values())
        problems.add(f"{part[_TYPE].label}: {text}" if is_python(settings.type) else f"{settings.alias}.{text}")
        return False
    return True


def _refuse(kind: Spec, entry: Entry, type_: str, problems: Problems) -> None:
    of_others = {name: other.database for other in SPECS.values() for name in other.custom_converters}
    if type_ in of_others:
        problems.add(f"{entry.label}: it is for {of_others[type_]}: leave it out")
    elif type_.startswith(_ORACLE):
        problems.add_not_yet(f"{entry.label}: it is for Oracle, which tailrace does not read yet: leave it out")
    else:
        near = nearest(type_, tuple(kind.custom_converters), ALIKE)
        meant = f"did you mean {near}? Otherwise: " if near else ""
        problems.add_not_yet(f"{entry.label}: {meant}classes in Java can't be run; write it in Python, see {GUIDE}")


def _report_unknown(spec: ConverterSpec, part: Mapping[str, Entry], problems: Problems) -> None:
    """A misspelt name would change records: an error. Debezium ignores other names."""
    short = spec.names[0].rpartition(".")[2]
    for name, entry in part.items():
        if name == _TYPE or spec.knows(name):
            continue
        if near := nearest(name, [prop.name for prop in spec.properties], ALIKE):
            problems.add(f"{entry.shown_name} is no property of {short}; did you mean {near}?")
        else:
            problems.pass_over(f"{entry.shown_name} has no effect: {short} has no such property")
