"""The chains that people have, on sample events of made tables, beside the real transforms and converters."""

import pytest
from tests.formats.comparing import same_bytes
from tests.formats.occurring_chains import AVRO, CHAINS
from tests.formats.sample_lines import same_samples, sample_lines
from tests.support.fake_registry import FakeRegistry

from support.every_scenario import EVERY
from support.unit_settings import USUAL, USUAL_OF_DB2, USUAL_OF_SQL_SERVER
from tailrace.connectors.load import from_mapping

pytestmark = [pytest.mark.debezium, pytest.mark.slow]
TABLES = {
    "mysql": (USUAL, "shop.prices,shop.orders"),
    "sqlserver": (USUAL_OF_SQL_SERVER, "dbo.prices,dbo.orders"),
    "db2": (USUAL_OF_DB2, "DB2INST1.PRICES,DB2INST1.ORDERS"),
}
DATABASES = tuple(TABLES) if EVERY else ("mysql",)
CONFLUENT = "io.confluent.connect.avro.AvroConverter"


@pytest.fixture(scope="module")
def registry():
    with FakeRegistry() as started:
        yield started


def configured(database, properties):
    usual, tables = TABLES[database]
    given = {name: str(value) for name, value in usual.items()} | {"table.include.list": tables} | properties
    return from_mapping(given), given


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("name", CHAINS)
def test_sample_events_become_the_same_records(server_parts, name, database):
    settings, properties = configured(database, dict(CHAINS[name]))
    found = same_samples(server_parts, settings, properties)
    assert found.records + found.dropped + found.failed == len(sample_lines(settings)) == 10
    assert found.records


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("name", AVRO)
def test_with_avro_behind_them_bytes_and_schemas_are_the_same(server_parts, registry, name, database):
    converters = {
        f"{part}.converter{more}": text
        for part in ("key", "value")
        for more, text in (("", CONFLUENT), (".schema.registry.url", registry.url))
    }
    settings, properties = configured(database, converters | dict(AVRO[name]))
    found = same_samples(server_parts, settings, properties, same_bytes)
    assert found.records
    assert not found.failed
