"""ValueToKey: the new key, and the records that have none."""

import pytest

from support.transforming import UNWRAP, changes, run, schema_of
from tailrace.errors import ConfigError, TransformError

UPDATES = [("c", None, (1, "a")), ("u", (1, "a"), (1, None))]


def test_the_key_has_the_fields_in_their_order_with_their_schemas_and_no_name():
    seen = run(changes(UPDATES), UNWRAP, ("ValueToKey", {"fields": "c1,c0"}), schemas=True)
    assert [each.key["payload"] for each in seen] == [{"c1": "a", "c0": 1}, {"c1": None, "c0": 1}]
    assert schema_of(seen[0].key) == {"c1": {"type": "string", "optional": True}, "c0": {"type": "int64", "optional": False}}
    assert "name" not in seen[0].key["schema"]


def test_tombstones_fail():
    with pytest.raises(TransformError, match="its value is null"):
        run(changes(), ("ValueToKey", {"fields": "op"}))


def test_what_fails_is_dropped_if_errors_are_tolerated():
    assert len(run(changes(), ("ValueToKey", {"fields": "op"}), tolerant=True)) == 3


def test_a_field_that_is_not_there_fails():
    with pytest.raises(TransformError, match="no field 'zz'"):
        run(changes(UPDATES), ("ValueToKey", {"fields": "op,zz"}))


def test_a_field_twice_is_refused():
    with pytest.raises(ConfigError, match="a field twice"):
        run(changes(), ("ValueToKey", {"fields": "op,op"}))
