"""The SQL Server connector, as the code outside its folder knows it."""

from __future__ import annotations

from typing import Final

from tailrace.config.filters import Naming, SystemNames
from tailrace.connectors.spec import Cloud, Spec

SPEC: Final = Spec(
    name="sqlserver",
    database="SQL Server",
    connector_class="io.debezium.connector.sqlserver.SqlServerConnector",
    other_names=(
        "SqlServerConnector",
        "SqlServer",
        "io.debezium.connector.v2.sqlserver.SqlServerConnectorV2",  # Confluent's package of Debezium 2
    ),
    cloud=(Cloud(name="SqlServerCdcSource", is_first=True), Cloud(name="SqlServerCdcSourceV2")),
    naming=Naming.SCHEMA_TABLE,
    system=SystemNames(schemas=frozenset({"cdc", "sys"}), tables=frozenset({"systranschemas"})),
    format="sqlserver-cdc",
    frames="pyspark_tailrace_sqlserver",
    lacks="`text`, `ntext`, `image` and `xml` columns that an update did not change",
    properties="tailrace.connectors.sqlserver.properties:TABLES",
    settings_class="tailrace.connectors.sqlserver.settings:SqlServerSettings",
    contradictions="tailrace.connectors.sqlserver.config_checks:check_sqlserver",
    connector="tailrace.connectors.sqlserver.reader:SqlServerConnector",
    login="tailrace.connectors.sqlserver.connection:try_login",
    position="tailrace.connectors.sqlserver.taking_over:restart_from",
    checks="tailrace.connectors.sqlserver.checks",
    applying="tailrace.connectors.sqlserver.apply_fixes",
    rows="tailrace.connectors.sqlserver.typed_rows",
    samples="tailrace.connectors.sqlserver.samples",
    taking_over="tailrace.connectors.sqlserver.taking_over",
    demo="tailrace.connectors.sqlserver.demo",
    pages="tailrace.connectors.sqlserver.pages",
    kernels=(
        "tailrace.connectors.shared.arrow_values.temporal",
        "tailrace.connectors.shared.arrow_values.decimals",
        "tailrace.connectors.change_tables.lsn_columns",
        "tailrace.connectors.sqlserver.guids",
    ),
)
