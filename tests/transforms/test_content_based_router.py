"""ContentBasedRouter: topics from expressions."""

import pytest
from tests.formats.golden_records import golden_records

from support.expression_rows import LINES
from support.unit_settings import unit_settings
from tailrace.errors import TransformError
from tailrace.events.pipeline import transforms_of
from tailrace.transforms.chain import transformed

TYPE = "io.debezium.transforms.ContentBasedRouter"
(RECORDS,) = golden_records(LINES)


def topics(expression, language="jsr223.groovy", tolerance="none", **options):
    """The topic of each record; None for those that are gone."""
    given = {"type": TYPE, "language": language, "topic.expression": expression}
    given |= {name.replace("_", "."): value for name, value in options.items()}
    settings = unit_settings(
        {"transforms": "r", "errors.tolerance": tolerance} | {f"transforms.r.{name}": value for name, value in given.items()}
    )
    found = {int(place): part.topic for part in transformed(RECORDS, transforms_of(settings)) for place in part.log_order}
    return [found.get(i) for i in range(len(RECORDS))]


OWN = "srv.db.t"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("value.op == 'u' ? 'updates' : null", [OWN, "updates", OWN, OWN, OWN, "updates"]),
        ("value.op == 'c' ? 'i' : value.op == 'd' ? 'd' : 'u'", ["i", "u", "d", "i", OWN, "u"]),
        ("value.op == 'd' ? topic + '.deleted' : topic", [OWN, OWN, OWN + ".deleted", OWN, OWN, OWN]),
        ("(value.op in ['c','u','d']) ? 'x' : null", ["x", "x", "x", "x", OWN, "x"]),
        ("value.after?.name ?: 'default'", ["abc", "1", "default", "default", OWN, "default"]),
        ("value.source.table", ["t", "t", "t", "t", OWN, "t"]),
        (
            "if (value.source.table == 'a') { return 'x' } else if (value.op == 'd') { return topic + '.d' } else { return topic }",
            [OWN, OWN, OWN + ".d", OWN, OWN, OWN],
        ),
        ("if(value.op == 'c'){return 'c';}\nif(value.op == 'd'){return 'd';}", ["c", OWN, "d", "c", OWN, OWN]),
        ("value.op == 'c' ? 'n' + value.after.id : null", ["n5", OWN, OWN, "n6", OWN, OWN]),
    ],
)
def test_expressions_that_people_have(expression, expected):
    assert topics(expression) == expected


def test_javascript_gives_topics_too():
    assert topics("value.op == 'c' ? 'i' : undefined", "jsr223.graal.js") == ["i", OWN, OWN, "i", OWN, OWN]
    assert topics("value.after?.name || topic", "jsr223.graal.js") == ["abc", "1", OWN, OWN, OWN, OWN]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("value.op == 'd' ? '' : 'x'", "the expression gives '', and no topic has that name: give null to leave the topic"),
        ("value.after?.id", "the expression gives a number: it must give a topic's name, or null"),
        ("value.op == 'c'", "the expression gives true or false"),
    ],
)
def test_what_is_no_topic_fails(expression, words):
    with pytest.raises(TransformError) as failed:
        topics(expression)
    assert words in str(failed.value)


def test_records_that_fail_are_dropped_where_that_is_tolerated():
    expected = ["x", "x", None, "x", OWN, "x"]
    assert topics("value.op == 'd' ? '' : 'x'", tolerance="all") == expected
    assert topics("value.op == 'd' ? '' : 'x'", tolerance="all", null_handling_mode="drop") == [*expected[:4], None, "x"]


def test_one_lane_delivers_all_topics():
    settings = unit_settings(
        {
            "transforms": "r",
            "transforms.r.type": TYPE,
            "transforms.r.language": "sql",
            "transforms.r.topic.expression": "value.source.table",
        }
    )
    from tailrace.transforms.configured import routing_of

    assert routing_of(settings.transform_chain) is None
