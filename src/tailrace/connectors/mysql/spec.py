"""The MySQL connector, as everything outside of its folder knows it."""

from __future__ import annotations

from typing import Final

from tailrace.config.filters import Naming, SystemNames
from tailrace.connectors.spec import Cloud, Spec

SPEC: Final = Spec(
    name="mysql",
    database="MySQL",
    connector_class="io.debezium.connector.mysql.MySqlConnector",
    other_names=("MySqlConnector", "MySql", "io.debezium.connector.v2.mysql.MySqlConnectorV2"),
    cloud=(Cloud(name="MySqlCdcSource", is_first=True), Cloud(name="MySqlCdcSourceV2")),
    naming=Naming.DATABASE_TABLE,
    system=SystemNames(databases=frozenset({"mysql", "performance_schema", "sys", "information_schema"})),
    either=(("gtid.source.includes", "gtid.source.excludes"),),
    format="mysql-cdc",
    frames="pyspark_tailrace",
    lacks="BLOB and TEXT columns that did not change, with `binlog_row_image=NOBLOB`",
    properties="tailrace.connectors.mysql.properties:TABLES",
    settings_class="tailrace.connectors.mysql.settings:MySqlSettings",
    connector="tailrace.connectors.mysql.reader:MySqlConnector",
    login="tailrace.connectors.mysql.connection:try_login",
    position="tailrace.connectors.mysql.given_offset:restart_from",
    checks="tailrace.connectors.mysql.checks",
    rows="tailrace.connectors.mysql.typed_rows",
    samples="tailrace.connectors.mysql.samples",
    taking_over="tailrace.connectors.mysql.taking_over",
    demo="tailrace.connectors.mysql.demo",
    pages="tailrace.connectors.mysql.pages",
    kernels=(
        "tailrace.connectors.mysql.rows.rare_columns",
        "tailrace.connectors.mysql.rows.columns",
        "tailrace.connectors.mysql.log.walk",
        "tailrace.connectors.mysql.selecting.transcoding",
        "tailrace.connectors.mysql.rows.partial_json",
        "tailrace.connectors.mysql.rows.decimals",
        "tailrace.connectors.mysql.rows.geometry",
    ),
    converters="tailrace.connectors.mysql.converters:CONVERTERS",
)
