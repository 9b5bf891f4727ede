"""The registry of connectors: it has every connector that can be configured, and its module paths can be imported."""

from __future__ import annotations

import importlib
import inspect
import itertools
import subprocess
import sys

import pytest

from support.unit_settings import db2_unit_settings, sqlserver_unit_settings, unit_settings
from tailrace import connectors
from tailrace.connectors import connector_for, interface
from tailrace.connectors.db2.spec import SPEC as DB2
from tailrace.connectors.interface import Connector
from tailrace.connectors.mysql.spec import SPEC as MYSQL
from tailrace.connectors.registry import FOLDERS, SPECS
from tailrace.connectors.sqlserver.spec import SPEC as SQL_SERVER
from tailrace.errors import UnsupportedError
from tailrace.object_paths import load_object

SETTINGS = {
    MYSQL.connector_class: unit_settings(),
    SQL_SERVER.connector_class: sqlserver_unit_settings(),
    DB2.connector_class: db2_unit_settings(),
}
MODULES = {
    "checks": interface.Checks,
    "applying": interface.Applying,
    "rows": interface.TypedRows,
    "taking_over": interface.TakingOver,
    "demo": interface.Demo,
    "pages": interface.Pages,
}
HEAVY = """
import sys
import tailrace.cli.offline_check, tailrace.connectors.registry
print(*sorted({'numba', 'pyarrow', 'numpy', 'polars', 'pyspark', 'sqlglot', 'pymysql', 'mssql_python',
    'adbc_driver_db2'} & set(sys.modules)))
"""
ALONE = """
import sys
from importlib.abc import MetaPathFinder

class Mistake(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.startswith("tailrace.connectors.{other}.") and not name.endswith(".spec"):
            raise SyntaxError(f"a mistake in {{name}}")

sys.meta_path.insert(0, Mistake())
from tailrace.connectors.load import from_mapping
print(from_mapping({given!r}).connector_class)
"""
LOGIN = {"topic.prefix": "p", "database.hostname": "h", "database.user": "u", "database.password": "p"}
GIVEN = {
    "mysql": {"connector.class": "mysql", "database.server.id": "5", **LOGIN},
    "sqlserver": {"connector.class": "sqlserver", "database.names": "d", **LOGIN},
    "db2": {"connector.class": "db2", "database.dbname": "d", "driver.sslConnection": "true", **LOGIN},
}


def members(protocol: type) -> list[str]:
    return [name for name in {**vars(protocol), **inspect.get_annotations(protocol)} if not name.startswith("_")]


def lacks(thing: object, protocol: type) -> list[str]:
    return [name for name in members(protocol) if not hasattr(thing, name)]


def arguments(function: object) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def test_every_line_of_the_registry_is_a_connector_in_a_folder_of_its_name() -> None:
    assert [f"tailrace.connectors.{spec.name}" for spec in SPECS.values()] == list(FOLDERS)
    assert set(SPECS) == set(SETTINGS)


@pytest.mark.parametrize("connector_class", SPECS)
def test_the_connector_of_the_settings_is_made(connector_class: str) -> None:
    made = connector_for(SETTINGS[connector_class])
    assert type(made) is load_object(SPECS[connector_class].connector)


@pytest.mark.parametrize("connector_class", SPECS)
def test_a_connector_has_every_method_of_the_interface_with_its_arguments(connector_class: str) -> None:
    made = connector_for(SETTINGS[connector_class])
    assert lacks(made, Connector) == []
    for name in members(Connector):
        if isinstance(getattr(Connector, name), property):
            continue
        assert arguments(getattr(made, name)) == arguments(getattr(Connector, name)), name


@pytest.mark.parametrize("connector_class", SPECS)
@pytest.mark.parametrize("part", ["login", "position"])
def test_each_function_can_be_loaded(connector_class: str, part: str) -> None:
    assert callable(load_object(getattr(SPECS[connector_class], part)))


@pytest.mark.parametrize("connector_class", SPECS)
@pytest.mark.parametrize("part", MODULES)
def test_each_part_has_what_is_asked_of_it(connector_class: str, part: str) -> None:
    place = getattr(SPECS[connector_class], part)
    if place is None:
        return
    assert lacks(importlib.import_module(place), MODULES[part]) == []


@pytest.mark.parametrize("connector_class", SPECS)
def test_spark_finds_the_dataframes_in_the_package_that_the_connector_names(connector_class: str) -> None:
    spec = SPECS[connector_class]
    source = importlib.import_module(spec.frames).DefaultSource
    assert (source.connector_class, source.name()) == (connector_class, spec.format)


def test_a_part_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="tailrace check --apply is not there yet for this connector"):
        connectors.applying_of(SETTINGS[MYSQL.connector_class])


@pytest.mark.parametrize(("name", "other"), list(itertools.permutations(GIVEN, 2)))
def test_a_mistake_in_one_connector_stands_in_no_other_ones_way(name: str, other: str) -> None:
    code = ALONE.format(other=other, given=GIVEN[name])
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert SPECS[found.stdout.strip()].name == name


def test_a_configuration_is_looked_at_without_loading_what_reads_a_database() -> None:
    found = subprocess.run([sys.executable, "-c", HEAVY], check=True, capture_output=True, text=True)
    assert found.stdout.split() == []
