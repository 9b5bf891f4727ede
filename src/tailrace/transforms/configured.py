"""Reads the transforms and predicates of a configuration: `transforms=a,b`, `transforms.a.type=…`, `transforms.a.<property>=…`.

Everything is checked here, before Spark starts: classes, properties, regular expressions. A transform is made once for that and
thrown away; the executors make their own of `TransformSettings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from tailrace.changes.skipped_records import SkippedRecords
from tailrace.config.entries import Entry, hide_values
from tailrace.config.problems import Problems
from tailrace.config.property import Kind, Property, Status
from tailrace.config.spelling import ALIKE, nearest
from tailrace.config.transform_settings import PredicateSettings, TransformSettings
from tailrace.config.values import NotYetError, read
from tailrace.python_objects import NotImportableError
from tailrace.schema.topic_renames import TopicRename
from tailrace.transforms.chain import Conditional, Predicate, Transform
from tailrace.transforms.failures import Failures
from tailrace.transforms.predicates import TOPIC_NAME_MATCHES
from tailrace.transforms.registry import (
    predicate_names,
    predicate_spec,
    refusal,
    transform_names,
    transform_spec,
)
from tailrace.transforms.spec import ByContent, ByTime, Making, PredicateSpec, Topics, TransformSpec

TRANSFORMS: Final = "transforms"
PREDICATES: Final = "predicates"
_OF_ALL: Final = ("type", "predicate", "negate")
_NEGATE: Final = Property(name="negate", kind=Kind.BOOL, default=False, doc="For the records that the predicate is false of.")

Part = Mapping[str, Entry]  # the properties of one transform or predicate, by the rest of their names


@frozen
class Given:
    """What a configuration says of transforms and predicates.

    Attributes:
        entries: all its properties.
        transforms: the aliases in order.
        predicates: the aliases.
        shape: `tailrace.event.shape`.

    """

    entries: Mapping[str, Entry]
    transforms: Sequence[str]
    predicates: Sequence[str]
    shape: str


def read_transforms(given: Given, problems: Problems) -> tuple[TransformSettings, ...]:
    """The transforms in order; errors and warnings are added to `problems`."""
    _report_repeated(TRANSFORMS, given.transforms, problems)
    predicates = {alias: _predicate(alias, given, problems) for alias in given.predicates}
    found = [_transform(alias, given, predicates, problems) for alias in dict.fromkeys(given.transforms)]
    _report_unused(given, problems)
    return tuple(each for each in found if each is not None)


def transform_of(
    settings: TransformSettings, *, tolerant: bool = False, skipped: SkippedRecords | None = None
) -> Transform:
    """The transform of settings, with its predicate.

    Args:
        settings: of the transform.
        tolerant: records that it fails on are dropped.
        skipped: counts those.

    Raises:
        ValueError: something is wrong with its properties.

    """
    found = transform_spec(settings.type)
    if found is None:
        raise ValueError(f"{settings.type} is no transform")
    spec, part = found
    making = Making(part=part, failures=Failures(settings.alias, settings.type, tolerant, skipped or SkippedRecords()))
    made = spec.make(making, **settings.options)
    return made if settings.predicate is None else Conditional(made, _made_predicate(settings.predicate), settings.negate)


def routing_of(transforms: Sequence[TransformSettings]) -> tuple[TopicRename, ...] | None:
    """The renames of topics in order; None if topics follow from what records contain, or from the time in them."""
    topics = [topics_of(each) for each in transforms]
    if any(isinstance(each, ByContent) for each in topics):
        return None
    dated = next((n for n, each in enumerate(topics) if isinstance(each, ByTime)), len(topics))
    if any(isinstance(each, TopicRename) for each in topics[dated:]):
        return None
    return tuple(each for each in topics if isinstance(each, TopicRename))


def topics_of(settings: TransformSettings) -> Topics:
    """What a transform does to topics."""
    found = transform_spec(settings.type)
    topics = None if found is None else found[0].topics(settings.options)
    if topics is None or isinstance(topics, ByTime) or settings.predicate is None:
        return topics
    if isinstance(topics, TopicRename) and settings.predicate.type == TOPIC_NAME_MATCHES:
        return evolve(topics, only=settings.predicate.options["pattern"], negate=settings.negate)
    return ByContent()


def _made_predicate(settings: PredicateSettings) -> Predicate:
    spec = predicate_spec(settings.type)
    if spec is None:
        raise ValueError(f"{settings.type} is no predicate")
    return spec.make(**settings.options)


def _transform(
    alias: str, given: Given, predicates: Mapping[str, PredicateSettings | None], problems: Problems
) -> TransformSettings | None:
    part = _part(TRANSFORMS, alias, given)
    type_ = _class(part.get("type"), TRANSFORMS, alias, problems)
    if not type_:
        return None
    found = transform_spec(type_)
    if found is None:
        _report_class(part["type"], type_, _transform_classes(), problems)
        return None
    options = _settled(found[0], part, given.shape, problems)
    if options is None:
        return None
    if "predicate" in part and part["predicate"].text.strip() not in predicates:
        problems.add(f"{part['predicate'].label}: predicates does not name it")
        return None
    predicate = predicates[part["predicate"].text.strip()] if "predicate" in part else None
    negate = _value(_NEGATE, part, problems)
    if negate is _WRONG:
        return None
    if "negate" in part and predicate is None:
        problems.add(f"{part['negate'].label}: there is no {TRANSFORMS}.{alias}.predicate to be negated")
        return None
    made = TransformSettings(alias=alias, type=type_, options=options, predicate=predicate, negate=negate)
    return made if _can_be_made(made, part, problems) else None


def _can_be_made(settings: TransformSettings, part: Part, problems: Problems) -> bool:
    name = f"{TRANSFORMS}.{settings.alias}"
    try:
        transform_of(settings)
    except NotYetError as error:
        problems.add_not_yet(f"{name}.{error}")
    except NotImportableError as error:
        problems.add_unknown([f"{name}.type"], f"{name}: {hide_values(str(error), part.values())}")
    except ValueError as error:
        problems.add(f"{name}: {hide_values(str(error), part.values())}")
    else:
        return True
    return False


def _predicate(alias: str, given: Given, problems: Problems) -> PredicateSettings | None:
    part = _part(PREDICATES, alias, given)
    type_ = _class(part.get("type"), PREDICATES, alias, problems)
    if not type_:
        return None
    spec = predicate_spec(type_)
    if spec is None:
        _report_class(part["type"], type_, predicate_names(), problems)
        return None
    options = _options(spec, part, problems)
    if options is None:
        return None
    made = PredicateSettings(alias=alias, type=type_, options=options)
    try:
        _made_predicate(made)
    except ValueError as error:
        problems.add(f"{PREDICATES}.{alias}: {error}")
        return None
    return made


def _settled(spec: TransformSpec, part: Part, shape: str, problems: Problems) -> Mapping[str, Any] | None:
    """The options that count; None if something is wrong with them."""
    options = _options(spec, part, problems)
    if options is None:
        return None
    named = {prop.attribute for prop in spec.properties if prop.attribute in options and part.get(prop.name)}
    settled, warnings = spec.settle(options, {name: options[name] for name in named}, shape)
    prefix = part["type"].name.removesuffix("type")
    for warning in warnings:
        problems.warn(f"{prefix}{warning}")
    return settled


def _options(spec: TransformSpec | PredicateSpec, part: Part, problems: Problems) -> dict[str, Any] | None:
    if isinstance(spec, TransformSpec) and spec.takes_any_option:
        return _any_options(part)
    known = {prop.name: prop for prop in spec.properties}
    for name, entry in part.items():
        if name not in known and name not in _OF_ALL:
            _report_unknown(entry, name, spec, problems)
    for prop in spec.properties:
        if prop.status is Status.IGNORED and prop.name in part:
            problems.warn(f"{part[prop.name].shown_name} is ignored: {prop.reason}")
    read_all = {prop.attribute: _value(prop, part, problems) for prop in spec.properties if prop.in_settings}
    return None if _WRONG in read_all.values() else read_all


def _any_options(part: Part) -> dict[str, Any] | None:
    """The options of a transform in Python, as texts."""
    if any(entry.broken for entry in part.values()):
        return None
    return {"options": {name: entry.text for name, entry in part.items() if name not in _OF_ALL}}


_WRONG: Final = object()


def _value(prop: Property, part: Part, problems: Problems) -> Any:
    entry = part.get(prop.name)
    if entry is None:
        if prop.required:
            missing = f"{part['type'].name.removesuffix('type')}{prop.name}"
            problems.add(f"{missing} is missing ({prop.doc.rstrip('.')})")
            return _WRONG
        return () if prop.kind.is_list and prop.default is None else prop.default
    if entry.broken:
        return _WRONG
    try:
        return read(prop, entry.text)
    except NotYetError as error:
        problems.add_not_yet(f"{entry.label}: {error}")
    except ValueError as error:
        problems.add(f"{entry.label}: {entry.shown(str(error))}")
    return _WRONG


def _part(kind: str, alias: str, given: Given) -> Part:
    prefix = f"{kind}.{alias}."
    return {name.removeprefix(prefix): entry for name, entry in given.entries.items() if name.startswith(prefix)}


def _class(entry: Entry | None, kind: str, alias: str, problems: Problems) -> str:
    if entry is None or not entry.text.strip():
        problems.add(f"{kind}.{alias}.type is missing: {kind} names {alias}")
        return ""
    return "" if entry.broken else entry.text.strip()


def _transform_classes() -> tuple[str, ...]:
    return tuple(each for name in transform_names() for each in (name, f"{name}$Key", f"{name}$Value"))


def _report_class(entry: Entry, type_: str, known: Sequence[str], problems: Problems) -> None:
    if advice := refusal(type_):
        problems.add(f"{entry.label}: {advice}")
        return
    same = [each for each in known if each.partition("$")[0] == type_.partition("$")[0]]
    if same and "$" in "".join(same) and transform_spec(same[0]) is None:
        problems.add(f"{entry.label}: write {type_.partition('$')[0]}$Key or …$Value")
        return
    near = nearest(type_, known, ALIKE)
    meant = f"; did you mean {near}?" if near else ""
    problems.add_not_yet(
        f"{entry.label}: that class can't be run here{meant}: classes in Java can't; write it in Python, see "
        "docs/guides/transforms.md"
    )


def _report_unknown(entry: Entry, name: str, spec: TransformSpec | PredicateSpec, problems: Problems) -> None:
    """Connect ignores unknown properties of a transform; a misspelt one would change records: an error."""
    near = nearest(name, [prop.name for prop in spec.properties] + list(_OF_ALL), ALIKE)
    short = spec.name.rpartition(".")[2]
    if near:
        problems.add(f"{entry.shown_name} is no property of {short}; did you mean {near}?")
    else:
        problems.pass_over(f"{entry.shown_name} has no effect: {short} has no such property")


def _report_repeated(kind: str, aliases: Sequence[str], problems: Problems) -> None:
    if repeated := sorted({alias for alias in aliases if list(aliases).count(alias) > 1}):
        problems.add(f"{kind} names {', '.join(repeated)} more than once")


def _report_unused(given: Given, problems: Problems) -> None:
    """Properties of transforms and predicates that are not named."""
    for kind, aliases in ((TRANSFORMS, given.transforms), (PREDICATES, given.predicates)):
        prefixes = tuple(f"{kind}.{alias}." for alias in aliases)
        lonely = [each for name, each in given.entries.items() if name.startswith(f"{kind}.") and not name.startswith(prefixes)]
        if lonely:
            problems.warn(f"{', '.join(each.shown_name for each in lonely)}: no effect, as {kind} does not name it")
