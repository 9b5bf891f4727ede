"""tailrace's Cast beside Kafka's."""

import pytest
from tests.formats.chains import all_same, kafka
from tests.formats.typed_lines import TYPED

pytestmark = pytest.mark.debezium


TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string")
ACCURATE = TYPED[2:4]  # as float32 the others have digits that Java before 19 and newer ones write differently


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("fields", ["i8,i32,i64,f,d,b", "s", "dec,dat,tim,ts", "by"])
def test_fields_are_cast_as_kafka_does(connect_parts, type_, fields):
    spec = ",".join(f"{field}:{type_}" for field in fields.split(","))
    options = {"spec": spec, "replace.null.with.default": "false"}
    assert all_same(connect_parts, (kafka("Cast$Value", options),), ACCURATE if type_ == "float32" else TYPED).records


@pytest.mark.parametrize("type_", TYPES)
def test_a_whole_key_is_cast_as_kafka_does(connect_parts, type_):
    assert all_same(connect_parts, (kafka("Cast$Key", {"spec": type_}),), TYPED[:1]).records == 1


CHAINS = {
    "a whole struct": (kafka("Cast$Value", {"spec": "string"}),),
    "a text": (kafka("ExtractField$Value", {"field": "s"}), kafka("Cast$Value", {"spec": "int32"})),
    "a default": (kafka("ExtractField$Value", {"field": "i64"}), kafka("Cast$Value", {"spec": "string"})),
    "a logical type": (kafka("ExtractField$Value", {"field": "ts"}), kafka("Cast$Value", {"spec": "string"})),
}


@pytest.mark.parametrize("case", CHAINS)
def test_whole_values_are_cast_as_kafka_does(connect_parts, case):
    all_same(connect_parts, CHAINS[case], TYPED)


@pytest.mark.parametrize("spec", ["ts_ms:string,op:string,ts_ns:int32", "source:string", "before:string,transaction:int64", "after:int8"])
def test_events_are_cast_as_kafka_does(connect_parts, spec):
    assert all_same(connect_parts, (kafka("Cast$Value", {"spec": spec}),)).records
