"""HeaderToValue beside Debezium's. The real one goes by what it has seen, so each line is alone."""

import pytest
from tests.formats.chains import assert_as_real, lines_of
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.HeaderToValue"
CHANGED = Transform("io.debezium.transforms.ExtractChangedRecordState", {"header.changed.name": "changed"})
UNWRAPPED = Transform("io.debezium.transforms.ExtractNewRecordState", {"add.headers": "op,db"})
NEW_KEY = "__debezium.newkey"
OPTIONS = {
    "copied": {"headers": "changed", "fields": "changes", "operation": "copy"},
    "moved": {"headers": f"changed,{NEW_KEY}", "fields": "changes,new", "operation": "move"},
    "into a struct": {"headers": "changed", "fields": "source.changes", "operation": "move"},
    "into a struct that may be null": {"headers": "changed", "fields": "after.changes", "operation": "copy"},
    "into a new struct": {"headers": f"changed,{NEW_KEY}", "fields": "more.changes,more.key", "operation": "copy"},
    "into a number": {"headers": "changed", "fields": "ts_ms.changes", "operation": "copy"},
    "a field that is there": {"headers": "__debezium.context.taskId", "fields": "op", "operation": "copy"},
    "a field of another type": {"headers": "changed", "fields": "ts_ms", "operation": "copy"},
    "no such header": {"headers": "nothing", "fields": "x", "operation": "copy"},
}


def lines():
    some = [line for topic in ("d_keys.pk", "d_keys.composite") for line in lines_of(topic, among="transactions")[:5]]
    others = lines_of("dbz.transaction", among="mysql: transactions")[:2] + lines_of("__debezium-heartbeat.dbz")[:1]
    return [*some, *others, *lines_of("d_types.ints", among="mysql: propagated")[:6]]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_headers_become_the_same_fields(connect_parts, options):
    found = assert_as_real(connect_parts, lines(), CHANGED, Transform(TYPE, options), alone=True, schemas=[True])
    assert found.records + found.failed == len(lines())


def test_headers_of_rows_become_the_same_fields(connect_parts):
    options = {"headers": "__op,__db,__op", "fields": "operation,database,other", "operation": "move"}
    some = golden_lines("mysql: defaults")[:60]
    found = assert_as_real(connect_parts, some, UNWRAPPED, Transform(TYPE, options), schemas=[True])
    assert found.records + found.dropped == len(some)
