"""Whatever a configuration says, the answer is settings or an error that tailrace raises on purpose."""

import pickle

from configurations import MINIMAL, SQL_SERVER_MINIMAL
from hypothesis import given
from hypothesis import strategies as st

from tailrace.config.connectors import KINDS
from tailrace.config.load import from_mapping
from tailrace.config.settings import Settings
from tailrace.errors import ConfigError, UnsupportedError

TABLES = [kind.tables for kind in KINDS.values()]
BY_NAME = sorted({name for each in TABLES for name in each.by_name})
ALIASES = sorted({name for each in TABLES for name in each.aliases})
NAMES = (
    st.sampled_from([*BY_NAME, *ALIASES, "driver.x", "column.truncate.to.5.chars", "transforms.a.type"])
    | st.text()
)
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


def answer(document):
    try:
        return from_mapping(document)
    except (ConfigError, UnsupportedError) as error:
        return str(error)


CONNECTORS = st.sampled_from([MINIMAL, SQL_SERVER_MINIMAL])


@given(CONNECTORS, st.dictionaries(NAMES, VALUES, max_size=5))
def test_any_configuration_gives_settings_or_a_message(minimal, properties):
    given_answer = answer(minimal | properties)
    if isinstance(given_answer, Settings):
        assert pickle.loads(pickle.dumps(given_answer)) == given_answer  # noqa: S301 - made here
    else:
        assert given_answer.startswith("configuration: ")


@given(
    CONNECTORS,
    st.sampled_from([name for name in BY_NAME if "password" in name]),
    st.dictionaries(NAMES, VALUES, max_size=3),
)
def test_no_message_and_no_settings_show_a_password(minimal, name, properties):
    given_answer = answer(minimal | properties | {name: "hunter2-s3cr3t"})
    assert "hunter2" not in repr(given_answer)
