"""Reads the rules that change column values or their schemas.

Their parameters are part of the properties' names: `column.truncate.to.20.chars`, `column.mask.hash.SHA-256.with.salt.SALT`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tailrace.config.entries import Entry
from tailrace.config.filters import ColumnPolicy, Hash, Mask, Naming, SourceTypes, Truncate
from tailrace.config.problems import Problems
from tailrace.config.properties.selection import HASH, HASH_V2, MASK, TRUNCATE
from tailrace.config.property import Family
from tailrace.java_patterns import PatternError, split_regexes

Rule = ColumnPolicy | SourceTypes
Expressions = tuple[str, ...]
Make = Callable[[re.Match[str], Expressions, Naming], ColumnPolicy]

# The algorithms of Java's MessageDigest, spelt as in its documentation; case is ignored.
ALGORITHMS = (
    "MD2", "MD5", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/224", "SHA-512/256",
    "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512",
)  # fmt: skip
_OTHER_NAMES = {"SHA": "SHA-1", "SHA1": "SHA-1"}


def _truncate(match: re.Match[str], expressions: Expressions, naming: Naming) -> Truncate:
    return Truncate(expressions, int(match["length"]), naming=naming)


def _mask(match: re.Match[str], expressions: Expressions, naming: Naming) -> Mask:
    return Mask(expressions, int(match["length"]), naming=naming)


def _hash(match: re.Match[str], expressions: Expressions, naming: Naming) -> Hash:
    return Hash(expressions, _algorithm(match["algorithm"]), match["salt"], 1, naming=naming)


def _hash_v2(match: re.Match[str], expressions: Expressions, naming: Naming) -> Hash:
    return Hash(expressions, _algorithm(match["algorithm"]), match["salt"], 2, naming=naming)


def _algorithm(name: str) -> str:
    upper = name.upper()
    known = _OTHER_NAMES.get(upper, upper)
    if known not in ALGORITHMS:
        raise PatternError(f"the hash algorithm {name!r} is none of {', '.join(ALGORITHMS)}")
    return known


def read_rules(entries: Mapping[str, Entry], naming: Naming, problems: Problems) -> tuple[Rule, ...]:
    """All rules, in the order in which Debezium tries them; invalid ones are added to `problems`."""
    return (
        *_rules(TRUNCATE, _truncate, entries, naming, problems),
        *_rules(MASK, _mask, entries, naming, problems),
        *_source_types(entries, naming),
        *_rules(HASH, _hash, entries, naming, problems),
        *_rules(HASH_V2, _hash_v2, entries, naming, problems),
    )


def _rules(
    family: Family, make: Make, entries: Mapping[str, Entry], naming: Naming, problems: Problems
) -> Iterator[Rule]:
    for name, entry in entries.items():
        match = family.pattern.fullmatch(name)
        if match is None:
            continue
        try:
            yield make(match, split_regexes(entry.text), naming)
        except PatternError as error:
            problems.add(f"{entry.shown_name}: {entry.shown(str(error))}")


def _source_types(entries: Mapping[str, Entry], naming: Naming) -> list[Rule]:
    def expressions(name: str) -> Expressions:
        entry = entries.get(name)
        return split_regexes(entry.text) if entry else ()

    try:
        found = SourceTypes(
            expressions("column.propagate.source.type"), expressions("datatype.propagate.source.type"), naming
        )
    except PatternError:  # was reported when the value was read
        return []
    return [found] if found.columns or found.types else []
