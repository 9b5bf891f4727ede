"""Renders the reference pages of properties from their tables.

One page has what is common to all connectors; each connector has a page of its properties. `python -m tailrace.docs` writes
them, and a test fails if a page on disk differs from the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby

from tailrace.config.name_kinds import NAME_KINDS
from tailrace.config.property import Family, Property, PropertyTables, Status
from tailrace.config.values import allowed_in_words
from tailrace.connectors.interface import Pages
from tailrace.connectors.registry import SPECS
from tailrace.connectors.spec import Spec
from tailrace.docs.converters import converters_page
from tailrace.docs.custom_converters import custom_converters_page
from tailrace.docs.kafka_clients import client_sections
from tailrace.docs.post_processors import post_processors_page
from tailrace.docs.tables import code, table
from tailrace.docs.transforms import transforms_page
from tailrace.object_paths import load_object

_RENDERED = """\
<!-- Rendered from the property tables: python -m tailrace.docs -->
"""
_INTRODUCTION = f"""\
# Configuration

{_RENDERED}
tailrace takes the configuration of Debezium's connectors as it is: the JSON that is sent to Kafka Connect
(`{{"name": ..., "config": {{...}}}}`), the inner object alone, or a Java `.properties` file. Names are those of
Debezium 3.6; older names work as well, and where two names of a property have different values the newest counts, with a
warning. Everything that is wrong is said in one message. `connector.class` says which connector it is for:

{{connectors}}

**Names that are no property** are a warning, as they have no effect in Kafka Connect either. What is nearly the name of a
property that changes records, topics, or which rows are delivered is an error. `--strict` (of a DataFrame: `strict`) makes an
error of all of them, and of two values for one property. [What has no effect](configuration-without-effect.md) lists every
property that is ignored, and the names that are told what they are. Nothing that is ignored changes records.

**Converters.** Where `key.converter` or `value.converter` is absent, JSON is written, and `check` and `run` say so: in Kafka
Connect the worker names one.

**Confluent Cloud.** {{cloud}} are Debezium's
connectors. With these classes `output.data.format`, `output.key.format`, `after.state.only`, `json.output.decimal.format` and
`cleanup.policy` count, with Confluent Cloud's defaults. The formats `JSON` (without schemas, the default), `AVRO`, `PROTOBUF`,
`JSON_SR` and, for keys, `STRING` are Kafka Connect's and Confluent's converters; the schema registry, which Confluent Cloud
knows, has to be named with `value.converter.schema.registry.url` and so on ([converters](converters.md)). With
`after.state.only=true` the transforms begin with ExtractNewRecordState. The classes without `V2` are Debezium 1.x:
`after.state.only` is true unless it is set to false, `skipped.operations` is `none`, and `schema.name.adjustment.mode` is
`avro`.

**Values from elsewhere.** `${{env:NAME}}` is an environment variable, `${{file:/path/to.properties:key}}` a key
of a properties file, `${{directory:/path:name}}` the whole of a file. What they bring in is never shown.

**Lists of regexes** are cut at commas; `\\,` is a comma within an expression. An expression must match the
whole of a name; upper and lower case count as the same. The syntax is Java's; the few constructs that have no
counterpart in Python are refused.

**Status.** *works*; *not yet: refused* stops with a message, because leaving it out would change the records
or lose something; *not yet: a warning* only tunes what is not there yet; *ignored* has no meaning without the
JVM, Kafka Connect or JDBC. A value that equals the default is never refused.
"""

_WITHOUT_EFFECT = f"""\
# Configuration without effect

{_RENDERED}
What a configuration may have, and what does nothing: a warning says so. No property here changes events, topics, or which rows
are delivered: which ones do is decided in `src/tailrace/config/effects.py`, and for what one connector alone has in its folder
(`properties/effects.py`). Tests hold that against the tables and against all names of Debezium 3.6. With `--strict` the
properties here stay warnings, and names that are none are errors.
"""

_HEADER = ("Property", "Type", "Default", "Allowed", "Status", "Meaning", "Other names")


def introduction() -> str:
    """The page of what is common to all connectors."""
    connectors = "\n".join(f"- [{spec.database}]({_page_of(spec)})" for spec in SPECS.values())
    *most, last = (code(each.name) for spec in SPECS.values() for each in spec.cloud)
    text = _INTRODUCTION.replace("{connectors}", connectors).replace("{cloud}", f"{', '.join(most)} and {last}")
    return f"{text}\n{client_sections()}"


def page(connector_class: str) -> str:
    """The page of one connector's properties."""
    kind = SPECS[connector_class]
    groups = groupby(kind.tables.properties, lambda each: each.group)
    sections = [_section(group, list(properties), kind.tables) for group, properties in groups]
    return "\n".join([_heading(kind), pages_of(kind).CONFIGURATION, *sections])


def without_effect() -> str:
    """The page of what has no effect: ignored properties with their reasons, and kinds of names that are no property."""
    sections = [_ignored_section(kind) for kind in SPECS.values()]
    return "\n".join([_WITHOUT_EFFECT, *sections, _name_kinds_section()])


def _ignored_section(kind: Spec) -> str:
    known: tuple[Property | Family, ...] = (*kind.tables.properties, *kind.tables.families)
    rows = [
        (code(each.name), each.status.value, each.reason or "it is not there yet", each.doc)
        for each in known
        if each.status in {Status.IGNORED, Status.UNUSED}
    ]
    header = ("Property", "Status", "Why", "Meaning")
    lines = [f"## {kind.database}", "", *table(header, rows)]
    return "\n".join(lines) + "\n"


def _name_kinds_section() -> str:
    rows = [(sort.title, code(sort.example), sort.verdict(sort.example)) for sort in NAME_KINDS]
    header = ("Names of", "Such as", "What is said")
    lines = ["## Names that are no property", "", *table(header, rows)]
    return "\n".join(lines) + "\n"


def pages_of(spec: Spec) -> Pages:
    """A connector's texts for the pages, and its additional pages."""
    pages: Pages = load_object(spec.pages)
    return pages


def _page_of(spec: Spec) -> str:
    return f"configuration-{spec.name}.md"


PAGES: Mapping[str, Callable[[], str]] = {
    "configuration.md": introduction,
    "configuration-without-effect.md": without_effect,
    "transforms.md": transforms_page,
    "converters.md": converters_page,
    "custom-converters.md": custom_converters_page,
    "post-processors.md": post_processors_page,
    **{_page_of(spec): partial(page, name) for name, spec in SPECS.items()},
}
"""The pages by the names of their files."""


def _heading(kind: Spec) -> str:
    return (
        f"# Configuration of the {kind.database} connector\n\n{_RENDERED}\n"
        "How a configuration is written, and what the statuses mean, stands on [a page for all connectors](configuration.md).\n"
    )


def _section(group: str, properties: Sequence[Property], tables: PropertyTables) -> str:
    rows = [_row(prop) for prop in properties]
    rows += [_family_row(family) for family in tables.families if family.group == group]
    lines = [f"## {group}", "", *table(_HEADER, rows)]
    return "\n".join(lines) + "\n"


def _row(prop: Property) -> tuple[str, ...]:
    return (
        code(prop.name),
        prop.kind.value,
        "**required**" if prop.required else _default(prop),
        _allowed(prop),
        _status(prop.status, prop.reason),
        prop.doc,
        ", ".join(map(code, prop.aliases)),
    )


def _family_row(family: Family) -> tuple[str, ...]:
    old = ", ".join(code(f"{alias}*") for alias in family.aliases)
    return (
        code(family.name),
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
        return code(str(prop.default).lower())
    if isinstance(prop.default, tuple):
        return code(",".join(prop.default))
    return code(str(prop.default))


def _allowed(prop: Property) -> str:
    if not prop.allowed:
        return allowed_in_words(prop)
    words = ", ".join(map(code, prop.allowed))
    if prop.other_spellings:
        words += "; also " + ", ".join(
            f"{code(old)} for {code(new)}" for old, new in prop.other_spellings.items()
        )
    if prop.harmless and prop.status is Status.WORKS:
        words += "; ignored " + ", ".join(map(code, prop.harmless)) + (f" ({prop.reason})" if prop.reason else "")
    if prop.not_yet:
        words += "; not yet " + ", ".join(map(code, prop.not_yet))
    return words


def _status(status: Status, reason: str) -> str:
    return f"{status.value} ({reason})" if reason and status is not Status.WORKS else status.value
