"""The properties of a configuration: under their current names, placeholders replaced, each name recognised or reported.

Messages never show a secret. A value is hidden if its property is a secret, or if its name looks like one; a salt is part of
a property's *name*, so names are hidden too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import Factory, frozen

from tailrace.config.placeholders import PlaceholderError, fill, is_placeholder
from tailrace.config.problems import Problems
from tailrace.config.property import Family, Kind, Property, PropertyTables, Status
from tailrace.config.spelling import printable
from tailrace.config.unknown_names import Others, Verdict, hidden_in, judge, verdict_on
from tailrace.config.values import read
from tailrace.java_patterns import PatternError, compile_java, split_list

HIDDEN = "********"
SHORTEST_HIDDEN = 4  # characters of a secret: what is shorter, as "1" or "yes", would be found within other words
_SECRET_NAMES = re.compile(
    r".*(secret|password|passphrase|token|sasl\.jaas\.config|basic\.auth\.user\.info|client-secret|ssl\.key|ssl\.keystore\.key)",
    re.IGNORECASE,
)
_IN_ADDRESSES = re.compile(r"(?<=:)\S+(?=@)|(?<=[?&;])(pass\w*|pwd|secret|token)=[^&;\s]*", re.IGNORECASE)
_SALT = re.compile(r"(?<=\.salt\.).+|(?<=\.mask\.hash\.)(?!.*\.salt\.).+")  # if `.salt.` is misspelt, the rest may be a salt
_CONVERTERS = "converters"
_POST_PROCESSORS = "post.processors"
"""Each item of these lists has properties that begin with the item's name."""


@frozen(kw_only=True)
class Entry:
    """One property of the configuration.

    Attributes:
        name: its current name.
        given_name: the name in the configuration, which may be an older one.
        text: its value with placeholders replaced; empty if one can't be replaced.
        shown_value: the value as a message may show it.
        broken: a problem with it has been reported, so further checks skip it.
        filled: the placeholder of each value that replaced one.

    """

    name: str
    given_name: str
    text: str
    shown_value: str
    broken: bool = False
    filled: Mapping[str, str] = Factory(dict)

    @property
    def shown_name(self) -> str:
        """The name as a message may show it: without a salt, and with the current name after an older one."""
        given = printable(hide_salt(self.given_name))
        return given if self.given_name == self.name else f"{given} (now {hide_salt(self.name)})"

    @property
    def label(self) -> str:
        """Name and value, with which messages begin."""
        return f"{self.shown_name} is {self.shown_value!r}"

    def shown(self, message: str) -> str:
        """What is wrong with the value, or with a part of it, as a message may show it.

        A value that replaced a placeholder is a secret more often than not, also where it was given to the wrong property.
        """
        for value in sorted(self.filled, key=len, reverse=True):
            for part in (value, value.strip(), *split_list(value)):
                message = message.replace(repr(part), repr(self.filled[value]))
                if len(part) >= SHORTEST_HIDDEN:
                    message = message.replace(part, self.filled[value])
        return hide_login(message)


def hide_values(message: str, entries: Iterable[Entry]) -> str:
    """A message of code that is not tailrace's, which may hold any value of these entries: without those that are not shown."""
    for entry in entries:
        message = entry.shown(message)
        if entry.text and entry.shown_value not in {entry.text, hide_login(entry.text)}:
            message = message.replace(entry.text, HIDDEN)
    return message


def hide_salt(name: str) -> str:
    """A hash property's name with asterisks instead of the salt; any other name unchanged."""
    return _SALT.sub(HIDDEN, name)


def hide_login(text: str) -> str:
    """A value with asterisks instead of a password in an address, such as a JDBC URL given as `database.hostname`."""
    return _IN_ADDRESSES.sub(lambda found: f"{found[1]}={HIDDEN}" if found[1] else HIDDEN, text)


def is_given(entries: Mapping[str, Entry], name: str) -> bool:
    """Whether a property has a value, valid or not."""
    entry = entries.get(name)
    return entry is not None and (entry.broken or bool(entry.text.strip()))


def collect(
    flat: Mapping[str, str], tables: PropertyTables, database: str, problems: Problems, others: Others = frozenset
) -> dict[str, Entry]:
    """The entries by current name. Unknown names, duplicates and placeholders that can't be replaced are added to `problems`.

    `tables` are the connector's properties, `database` is its name in messages, `others` returns the names of other
    connectors' properties.
    """
    secret_names = _secret_names(flat.get("custom.sanitize.pattern"), problems)
    of_items = (*_beginnings(flat.get(_CONVERTERS, "")), *_beginnings(flat.get(_POST_PROCESSORS, "")))
    of_items = (*of_items, *_beginnings(flat.get(_POST_PROCESSORS, ""), f"{_POST_PROCESSORS}."))
    given = {tables.current_name(name) for name in flat}
    entries: dict[str, Entry] = {}
    unknown: dict[Verdict, list[str]] = {}
    families: dict[Family, list[str]] = {}
    for given_name in sorted(flat, key=tables.rank):  # current names before older ones: `_put` keeps the first
        if given_name not in tables.by_name and given_name.startswith(of_items):
            entry = _entry(given_name, flat[given_name], tables, secret_names, problems)
            entries[entry.name] = entry
            continue
        if verdict := _unknown(tables.current_name(given_name), tables, others, database, given):
            unknown.setdefault(verdict, []).append(printable(hide_salt(given_name)) or '""')
            continue
        entry = _entry(given_name, flat[given_name], tables, secret_names, problems)
        if entry.name not in tables.by_name and (family := tables.family_of(entry.name)):
            families.setdefault(family, []).append(entry.shown_name)
        _put(entries, entry, tables, problems)
    for verdict, names in unknown.items():
        tell = problems.add if verdict.is_wrong else problems.pass_over
        tell(_together(names, verdict.words))
    for family, names in families.items():
        _report_status(family, names, problems)
    return entries


def _beginnings(text: str, before: str = "") -> tuple[str, ...]:
    """What the names of properties of the items of a list begin with; `before` stands before each item."""
    return tuple(f"{before}{item}." for item in split_list(text))


def _together(names: Sequence[str], words: str) -> str:
    return f"{names[0]} {words}" if len(names) == 1 else f"{', '.join(names)}: each {words}"


def _secret_names(pattern: str | None, problems: Problems) -> tuple[re.Pattern[str], ...]:
    if not pattern:
        return (_SECRET_NAMES,)
    try:
        return (_SECRET_NAMES, compile_java(pattern))
    except PatternError as error:
        problems.add(f"custom.sanitize.pattern: {error}")
        return (_SECRET_NAMES,)


def _entry(
    given_name: str, raw: str, tables: PropertyTables, secret_names: Iterable[re.Pattern[str]], problems: Problems
) -> Entry:
    name = tables.current_name(given_name)
    prop = tables.by_name.get(name)
    hidden = (prop is not None and prop.kind is Kind.SECRET) or any(p.fullmatch(name) for p in secret_names)
    # a placeholder is not the secret itself, and showing it tells the user which one is meant
    shown_value = HIDDEN if hidden and not is_placeholder(raw) else hide_login(raw)
    filled: dict[str, str] = {}
    try:
        text, broken = fill(raw, filled), False
    except PlaceholderError as error:
        problems.add_unknown([name], f"{hide_salt(given_name)}: {error}")
        text, broken = "", True
    return Entry(
        name=name, given_name=given_name, text=text, shown_value=shown_value, broken=broken, filled=filled
    )


def _unknown(
    name: str, tables: PropertyTables, others: Others, database: str, given: Collection[str]
) -> Verdict | None:
    """The verdict on a name that is neither a property nor in a family; None for a known name."""
    if name in tables.by_name:
        return None
    family = tables.family_of(name)
    if family is None:
        return judge(name, tables, others, database, given)
    near = hidden_in(name, family, tables)
    return verdict_on(near, tables, database, given) if near else None


def _report_status(family: Family, names: Sequence[str], problems: Problems) -> None:
    because = f": {family.reason}" if family.reason else ""
    if family.status is Status.REFUSED:
        problems.add_not_yet(_together(names, f"is not supported{because}"))
    elif family.status is Status.UNUSED:
        problems.warn(_together(names, f"has no effect yet{because}"))
    elif family.status is Status.IGNORED:
        problems.warn(_together(names, f"is ignored{because}"))


def _put(entries: dict[str, Entry], entry: Entry, tables: PropertyTables, problems: Problems) -> None:
    """Keep the entry unless one with a newer name is there; as in Debezium the newest name wins."""
    other = entries.setdefault(entry.name, entry)
    if other is not entry and not _same(tables.by_name.get(entry.name), other.text, entry.text):
        problems.pass_over(
            f"{entry.label} and has no effect, because {other.shown_name} is set to {other.shown_value!r}"
        )


def _same(prop: Property | None, one: str, other: str) -> bool:
    if prop is None:
        return one.strip() == other.strip()
    try:
        return read(prop, one) == read(prop, other)
    except ValueError:
        return one.strip() == other.strip()
