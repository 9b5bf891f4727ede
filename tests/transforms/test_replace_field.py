"""ReplaceField: what is left out and renamed, and the old names of its properties."""

import pyarrow as pa
import pytest

from support.transforming import changes, rows, run
from tailrace.errors import ConfigError, TransformError
from tailrace.schema.connect import Schema, Type

DEFAULT = {"n": (Schema(Type.INT64, optional=True, default=7), pa.array([1, None]))}


def test_exclude_wins_over_include_and_fields_are_renamed():
    options = {"include": "op,before,after", "exclude": "before", "renames": "op:operation"}
    seen = run(changes(), ("ReplaceField$Value", options))
    assert [each.value and list(each.value) for each in seen] == [["after", "operation"]] * 3 + [None]


@pytest.mark.parametrize(("replaces", "found"), [("true", 7), ("false", None)])
def test_a_null_becomes_the_default_unless_a_property_says_otherwise(replaces, found):
    options = {"replace.null.with.default": replaces}
    assert [each.value for each in run(rows(DEFAULT), ("ReplaceField$Value", options), defaults=False)] == [{"n": 1}, {"n": found}]


def test_a_name_that_is_there_already_fails():
    with pytest.raises(TransformError, match="two fields 'ts_us'"):
        run(changes(), ("ReplaceField$Value", {"renames": "ts_ms:ts_us"}))


def test_a_renamed_field_that_is_missing_takes_the_other_one_of_its_new_name_with_it_as_in_kafka():
    with pytest.raises(TransformError, match="renames renames 'nothing'"):
        run(changes(), ("ReplaceField$Value", {"renames": "nothing:op"}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blacklist": "a"}, "blacklist is no property since Kafka 4: write exclude"),
        ({"whitelist": "a"}, "write include"),
        ({"renames": "a"}, "renames has 'a': write old:new"),
        ({"renames": "a:x,b:x"}, "the same new name"),
    ],
)
def test_a_wrong_option_is_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        run(changes(), ("ReplaceField$Value", options))
