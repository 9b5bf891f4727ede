"""TimezoneConverter beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.TimezoneConverter"
OPTIONS = {
    "a zone": {"converted.timezone": "America/New_York"},
    "an offset": {"converted.timezone": "+05:30"},
    "a table": {"converted.timezone": "Asia/Tokyo", "include.list": "source:customers"},
    "a field of a table": {"converted.timezone": "Asia/Tokyo", "include.list": "source:customers:seen,times:b"},
    "a topic": {"converted.timezone": "-03:00", "include.list": "topic:dbz.d_formats.customers"},
    "fields of a topic": {"converted.timezone": "-03:00", "include.list": "topic:dbz.d_formats.outbox:after.made,dates:source.ts_ms"},
    "any name": {"converted.timezone": "Europe/Paris", "include.list": "outbox:made_dt,outbox:source.ts_ns,outbox:source.ts_us"},
    "all but a table": {"converted.timezone": "Europe/Paris", "exclude.list": "source:customers"},
    "all but a field": {"converted.timezone": "Europe/Paris", "exclude.list": "source:customers:seen,outbox:source.ts_ms"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_times_are_the_same(connect_parts, options):
    lines = [line for line in golden_lines("mysql: defaults") if line["topic"].endswith(("customers", "outbox", "dates", "dbz"))]
    found = assert_as_real(connect_parts, lines, Transform(TYPE, options), schemas=[False])
    assert found.records == len(lines)


@pytest.mark.parametrize("mode", ["time connect, decimal string", "time nanoseconds, bigint precise", "time isostring, decimal double"])
def test_times_of_other_modes_are_the_same(connect_parts, mode):
    lines = [line for line in golden_lines(f"mysql: {mode}") if line["topic"].endswith(("customers", "outbox", "dates", "times"))]
    found = assert_as_real(connect_parts, lines, Transform(TYPE, {"converted.timezone": "America/New_York"}), schemas=[False])
    assert found.records == len(lines)


@pytest.mark.parametrize("source", ["sqlserver: types-defaults", "db2: types-adaptive"])
def test_times_of_other_databases_are_the_same(connect_parts, source):
    lines = [line for line in golden_lines(source) if "times" in line["topic"].lower()]
    found = assert_as_real(connect_parts, lines, Transform(TYPE, {"converted.timezone": "Australia/Lord_Howe"}), schemas=[False])
    assert found.records == len(lines)
