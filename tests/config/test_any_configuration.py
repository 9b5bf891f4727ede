"""Whatever a configuration says, the answer is settings or an error that tailrace raises on purpose."""

import pickle

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from support.configurations import DB2_MINIMAL, MINIMAL, SQL_SERVER_MINIMAL
from tailrace.config.settings import Settings
from tailrace.connectors.load import from_mapping
from tailrace.connectors.registry import SPECS
from tailrace.errors import ConfigError, UnsupportedError

TABLES = [kind.tables for kind in SPECS.values()]
BY_NAME = sorted({name for each in TABLES for name in each.by_name})
ALIASES = sorted({name for each in TABLES for name in each.aliases})
UNKNOWN = ["_comment", "acks", "slot.name", "kafka.x", "topic.creation.a.partitions", "after.state.only", "table.list", "\u200b"]
FAMILIES = ["driver.x", "column.truncate.to.5.chars", "transforms.a.type"]
NAMES = st.sampled_from([*BY_NAME, *ALIASES, *FAMILIES, *UNKNOWN]) | st.text()
WORDS = st.sampled_from(
    [
        "true",
        "none",
        "0",
        "-1",
        "5",
        "a.b",
        "a,b",
        "\\",
        "(",
        "[a",
        "${env:NO}",
        "${a:b:c}",
        ",",
        "a:b;c",
        "mysql",
        "MySqlCdcSource",
        "sqlservercdcsourcev2",
        "a\u200b",
    ]
)
VALUES = (
    WORDS
    | st.text()
    | st.integers()
    | st.booleans()
    | st.none()
    | st.floats()
    | st.lists(st.text(), max_size=2)
)


def answer(document, **options):
    try:
        return from_mapping(document, **options)
    except (ConfigError, UnsupportedError) as error:
        return str(error)


CONNECTORS = st.sampled_from([MINIMAL, SQL_SERVER_MINIMAL, DB2_MINIMAL])


@given(CONNECTORS, st.dictionaries(NAMES, VALUES, max_size=5), st.booleans())
def test_any_configuration_gives_settings_or_a_message(minimal, properties, strict):
    given_answer = answer(minimal | properties, strict=strict)
    if isinstance(given_answer, Settings):
        assert pickle.loads(pickle.dumps(given_answer)) == given_answer  # noqa: S301 - made here
    else:
        assert given_answer.startswith("configuration: ")


@given(CONNECTORS, st.dictionaries(NAMES, VALUES, max_size=5))
def test_strict_refuses_more_and_changes_nothing(minimal, properties):
    strict, usual = answer(minimal | properties, strict=True), answer(minimal | properties)
    if isinstance(strict, Settings):
        assert strict == usual


@given(CONNECTORS, st.sampled_from(UNKNOWN) | st.text(), VALUES)
def test_a_name_that_is_no_property_changes_no_setting(minimal, name, value):
    found, plain = answer(minimal | {name: value}), answer(minimal)
    known = any(each.current_name(name) in each.by_name or each.family_of(name) for each in TABLES)
    if isinstance(found, Settings) and not known:
        assert evolve(found, warnings=(), given=plain.given) == evolve(plain, warnings=())


@given(
    CONNECTORS,
    st.sampled_from([name for name in BY_NAME if "password" in name]),
    st.dictionaries(NAMES, VALUES, max_size=3),
)
def test_no_message_and_no_settings_show_a_password(minimal, name, properties):
    given_answer = answer(minimal | properties | {name: "hunter2-s3cr3t"})
    assert "hunter2" not in repr(given_answer)
