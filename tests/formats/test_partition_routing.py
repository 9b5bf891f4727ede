"""PartitionRouting beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.partitions.PartitionRouting"
COLUMNS = (  # of customers, ints, strings, decimals, floats and dates; bits and defaults are byte arrays, whose hashes differ from run to run
    "id,name,email,country,active,age,credit,rating,weight,born,wakes,seen,updated,tags,status,extra,i,v,a,b,c,t,u,s,m,d,f,n,"
    "c1,c2,c3,c4,c5,ts,dt,big,small,tiny,dec,num,txt,payload"
)
FIELDS = ",".join(f"change.{name}" for name in COLUMNS.split(","))


@pytest.mark.parametrize("function", ["java", "murmur"])
@pytest.mark.parametrize("fields", [FIELDS, "source.table,op,nothing,source.nothing,op.x", "change.name", "after.id", "ts_ms"])
def test_partitions_are_the_same(connect_parts, function, fields):
    options = {"partition.payload.fields": fields, "partition.topic.num": "1009", "partition.hash.function": function}
    lines = [line for line in golden_lines("mysql: defaults") if line["topic"].endswith(TOPICS)]
    lines += [line for line in golden_lines("mysql: time connect, decimal string") if "customers" in line["topic"]]
    found = assert_as_real(connect_parts, lines, Transform(TYPE, options), schemas=[False])
    assert found.records + found.failed == len(lines)


TOPICS = ("customers", "outbox_bytes", "ints", "strings", "decimals", "floats", "dates", "d_keys.pk", "dbz")
