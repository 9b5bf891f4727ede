"""The reference page of all properties, rendered from the tables.

`python -m tailrace.config.reference docs/reference/configuration.md` writes it; a test fails when the page on
disk says something else than the tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tailrace.config.client_reference import client_sections
from tailrace.config.properties import FAMILIES, PROPERTIES
from tailrace.config.property import Family, Property, Status
from tailrace.config.values import allowed_in_words

_INTRODUCTION = """\
# Configuration

<!-- Rendered from the property tables:
     python -m tailrace.config.reference docs/reference/configuration.md -->

tailrace takes the configuration of Debezium's MySQL connector as it is: the JSON that is sent to Kafka
Connect (`{"name": ..., "config": {...}}`), the inner object alone, or a Java `.properties` file. Names are
those of Debezium 3.6; the names in the last column work as well, and setting both with different
values is an error. Everything that is wrong is said in one message.

A minimal configuration:

```json
{
  "connector.class": "io.debezium.connector.mysql.MySqlConnector",
  "topic.prefix": "shop",
  "database.hostname": "mysql.example.org",
  "database.user": "cdc",
  "database.password": "${env:MYSQL_PASSWORD}",
  "database.server.id": 5401,
  "snapshot.mode": "no_data"
}
```

**Values from elsewhere.** `${env:NAME}` is an environment variable, `${file:/path/to.properties:key}` a key
of a properties file, `${directory:/path:name}` the whole of a file. What they bring in is never shown.

**Lists of regexes** are cut at commas; `\\,` is a comma within an expression. An expression must match the
whole of `database`, `database.table` or `database.table.column`; upper and lower case count as the same. The
syntax is Java's; the few constructs that have no counterpart in Python are refused.

**Status.** *works*; *not yet: refused* stops with a message, because leaving it out would change the records
or lose something; *not yet: a warning* only tunes what is not there yet; *ignored* has no meaning without the
JVM, Kafka Connect or JDBC. A value that equals the default is never refused.
"""

_HEADER = ("Property", "Type", "Default", "Allowed", "Status", "Meaning", "Other names")


def render() -> str:
    """The whole page."""
    sections = [_section(group, list(properties)) for group, properties in groupby(PROPERTIES, lambda each: each.group)]
    return "\n".join([_INTRODUCTION, *sections, client_sections()])


def _section(group: str, properties: Sequence[Property]) -> str:
    rows = [_row(prop) for prop in properties]
    rows += [_family_row(family) for family in FAMILIES if family.group == group]
    lines = [f"## {group}", "", _line(_HEADER), _line("---" for _ in _HEADER), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _row(prop: Property) -> tuple[str, ...]:
    return (
        _code(prop.name),
        prop.kind.value,
        "**required**" if prop.required else _default(prop),
        _allowed(prop),
        _status(prop.status, prop.reason),
        prop.doc,
        ", ".join(map(_code, prop.aliases)),
    )


def _family_row(family: Family) -> tuple[str, ...]:
    old = ", ".join(_code(f"{alias}*") for alias in family.aliases)
    return (
        _code(family.name),
        family.kind.value,
        "",
        "",
        _status(family.status, family.reason),
        family.doc,
        old,
    )


def _default(prop: Property) -> str:
    if prop.default is None:
        return ""
    if isinstance(prop.default, bool):
        return _code(str(prop.default).lower())
    if isinstance(prop.default, tuple):
        return _code(",".join(prop.default))
    return _code(str(prop.default))


def _allowed(prop: Property) -> str:
    if not prop.allowed:
        return allowed_in_words(prop)
    words = ", ".join(map(_code, prop.allowed))
    if prop.other_spellings:
        words += "; also " + ", ".join(
            f"{_code(old)} for {_code(new)}" for old, new in prop.other_spellings.items()
        )
    if prop.not_yet:
        words += "; not yet " + ", ".join(map(_code, prop.not_yet))
    return words


def _status(status: Status, reason: str) -> str:
    return f"{status.value} ({reason})" if reason else status.value


def _code(text: str) -> str:
    return f"`{text}`"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main(arguments: Sequence[str]) -> int:
    """Write the page to the file that the one argument names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tailrace.config.reference FILE\n")
        return 2
    Path(arguments[0]).write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
