"""What is wrong with the transforms and predicates of a configuration is said before anything runs."""

import pytest

from support.unit_settings import unit_settings
from tailrace.errors import ConfigError

ROUTE = {
    "transforms": "route",
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.regex": "a",
    "transforms.route.replacement": "b",
}
PREDICATE = {
    "predicates": "deleted",
    "predicates.deleted.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone",
}


def problems(**more: str) -> str:
    with pytest.raises(ConfigError) as found:
        unit_settings({**ROUTE, **PREDICATE, **{name.replace("_", "."): value for name, value in more.items()}})
    return str(found.value)


def test_a_predicate_that_is_negated_must_be_there() -> None:
    found = problems(transforms_route_negate="true")
    assert "transforms.route.negate is 'true': there is no transforms.route.predicate to be negated" in found


def test_negate_is_true_or_false() -> None:
    found = problems(transforms_route_negate="yes", transforms_route_predicate="deleted")
    assert "transforms.route.negate is 'yes': it must be true or false" in found


def test_a_predicate_must_be_named() -> None:
    assert "transforms.route.predicate is 'gone': predicates does not name it" in problems(transforms_route_predicate="gone")


def test_a_transform_is_named_once() -> None:
    assert "transforms names route more than once" in problems(transforms="route,route")


@pytest.mark.parametrize(("text", "negate"), [("true", True), (" TRUE ", True), ("false", False)])
def test_a_negated_predicate(text: str, negate: bool) -> None:
    given = {"transforms.route.predicate": "deleted", "transforms.route.negate": text}
    (found,) = unit_settings({**ROUTE, **PREDICATE, **given}).transform_chain
    assert found.negate is negate
