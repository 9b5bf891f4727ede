"""What there is to know of a transform before it runs: its properties, how it is made, what it does to topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, field, frozen

from tailrace.config.property import Property
from tailrace.schema.topic_renames import TopicRename
from tailrace.transforms.chain import Predicate, Transform
from tailrace.transforms.failures import Failures

KEY, VALUE, HEADER = "Key", "Value", "Header"

Options = Mapping[str, Any]
"""Typed values of a transform's properties, by `Property.attribute`."""


@frozen(kw_only=True)
class Making:
    """What a transform is told besides its properties.

    Attributes:
        part: `Key` or `Value`, for classes that have both (`InsertField$Value`), or `Header`; else "".
        failures: what becomes of records that it fails on.

    """

    part: str = ""
    failures: Failures = Factory(Failures)


@frozen
class ByContent:
    """A transform's topics follow from what records contain, so that one lane has to deliver all of them."""


@frozen
class ByTime:
    """A transform adds the time to topics: each table's stay its own, but no later rename can be foreseen."""


Topics = TopicRename | ByContent | ByTime | None
"""What a transform does to topics; None: nothing."""


def _no_effect(_options: Options) -> Topics:
    return None


def _as_given(options: Options, _given: Options, _shape: str) -> tuple[Options, list[str]]:
    return options, []


@frozen(kw_only=True)
class TransformSpec:
    """A transform.

    Attributes:
        name: its Java class, without `$Key` and `$Value`.
        doc: what it does, in one sentence.
        properties: its own; `type`, `predicate` and `negate` are every transform's.
        make: makes it, given `Making` and its options as keyword arguments; a `ValueError` says what is wrong with them.
        topics: what it does to topics.
        has_parts: whether there is one for keys and one for values.
        has_header_part: whether there is one for headers besides.
        takes_any_option: its options are texts by any names, which `make` gets as `options`; then it has no properties.
        settle: gives the options that count, and warnings, from typed options, those that the configuration gives, and
            `tailrace.event.shape`; for old properties that have new ones.

    """

    name: str
    doc: str
    properties: tuple[Property, ...] = ()
    make: Callable[..., Transform]
    topics: Callable[[Options], Topics] = _no_effect
    has_parts: bool = False
    has_header_part: bool = False
    takes_any_option: bool = False
    settle: Callable[[Options, Options, str], tuple[Options, list[str]]] = _as_given


@frozen(kw_only=True)
class PredicateSpec:
    """A predicate; attributes as of `TransformSpec`."""

    name: str
    doc: str
    properties: tuple[Property, ...] = ()
    make: Callable[..., Predicate]


@frozen
class Refusal:
    """A class that is known and can't be run; `advice` says what to do."""

    advice: str
    names: tuple[str, ...] = field(default=Factory(tuple))
