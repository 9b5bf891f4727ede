"""SYSIBMADM: the database's configuration, the server and its version.

Source: IBM Db2 documentation, "DBCFG", "ENV_INST_INFO", "ENV_SYS_INFO" (administrative views)
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.engine.catalog import Database
from tailrace_standins.db2.engine.system.view import Rows, View, view

SERVICE_LEVEL: Final = "DB2 v12.1.4.0"


def _configuration(database: Database) -> Rows:
    for name, value in database.configuration.items():
        yield name, value, "NONE", value, "NONE", "VARCHAR(1024)", 0, 0


def _instance(_: Database) -> Rows:
    yield "db2inst1", 0, 1, 64, "01010000", SERVICE_LEVEL, "s2600000000", "DYN2600000000AMD64", 0, 1


def _system(_: Database) -> Rows:
    yield "Linux", "6", "1", "standin", 2, 2, 4096, "Linux 6.1 x86_64"


def _version(_: Database) -> Rows:
    yield 12010400, None, "SYSTEM", SERVICE_LEVEL


VIEWS: Final[dict[tuple[str, str], View]] = {
    ("SYSIBMADM", "DBCFG"): view(
        "v_dbcfg",
        "n:NAME x:VALUE n:VALUE_FLAGS x:DEFERRED_VALUE n:DEFERRED_VALUE_FLAGS n:DATATYPE s:DBPARTITIONNUM s:MEMBER",
        _configuration,
    ),
    ("SYSIBMADM", "ENV_INST_INFO"): view(
        "v_envinst",
        "n:INST_NAME s:IS_INST_PARTITIONABLE i:NUM_DBPARTITIONS i:INST_PTR_SIZE n:RELEASE_NUM n:SERVICE_LEVEL n:BLD_LEVEL "
        "n:PTF i:FIXPACK_NUM i:NUM_MEMBERS",
        _instance,
    ),
    ("SYSIBMADM", "ENV_SYS_INFO"): view(
        "v_envsys",
        "r:OS_NAME r:OS_VERSION r:OS_RELEASE r:HOST_NAME i:TOTAL_CPUS i:CONFIGURED_CPUS i:TOTAL_MEMORY r:OS_FULL_VERSION",
        _system,
    ),
    ("SYSIBM", "SYSVERSIONS"): view(
        "v_sysversions", "i:VERSIONNUMBER t:VERSION_TIMESTAMP n:AUTHID r:VERSIONBUILDLEVEL", _version
    ),
}
"""By schema and name."""

FUNCTIONS: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("SYSPROC", "ENV_GET_INST_INFO"): ("SYSIBMADM", "ENV_INST_INFO"),
    ("SYSPROC", "ENV_GET_SYS_INFO"): ("SYSIBMADM", "ENV_SYS_INFO"),
    ("SYSPROC", "ENV_GET_SYSTEM_RESOURCES"): ("SYSIBMADM", "ENV_SYS_INFO"),
}
"""Table functions without arguments, with the view that has their rows."""
