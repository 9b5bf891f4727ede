"""The Db2 connector, as the code outside its folder knows it."""

from __future__ import annotations

from typing import Final

from tailrace.config.filters import Naming, SystemNames
from tailrace.connectors.spec import Spec

SPEC: Final = Spec(
    name="db2",
    database="Db2",
    connector_class="io.debezium.connector.db2.Db2Connector",
    other_names=("Db2Connector", "Db2"),
    naming=Naming.SCHEMA_TABLE,
    # names of schemas that begin with SYS are reserved; the others are Debezium's
    system=SystemNames(schema_beginnings=("sys", "asncdc"), table_beginnings=("ibmsnap_", "ibmqrep_")),
    either=(("driver.sslTrustStoreLocation", "driver.sslCertLocation"),),
    one_database="database.dbname",
    format="db2-cdc",
    frames="pyspark_tailrace_db2",
    lacks="CLOB, DBCLOB, BLOB and XML always",
    properties="tailrace.connectors.db2.properties:TABLES",
    settings_class="tailrace.connectors.db2.settings:Db2Settings",
    contradictions="tailrace.connectors.db2.config_checks:check_db2",
    connector="tailrace.connectors.db2.reader:Db2Connector",
    streaming="tailrace.connectors.change_tables.streaming",
    login="tailrace.connectors.db2.connection:try_login",
    position="tailrace.connectors.db2.taking_over:restart_from",
    checks="tailrace.connectors.db2.checks",
    applying="tailrace.connectors.db2.apply_fixes",
    rows="tailrace.connectors.db2.typed_rows",
    samples="tailrace.connectors.db2.samples",
    taking_over="tailrace.connectors.db2.taking_over",
    demo="tailrace.connectors.db2.demo",
    pages="tailrace.connectors.db2.pages",
    environment="tailrace.connectors.db2.go_runtime:lacking",
    kernels=(
        "tailrace.connectors.shared.arrow_values.temporal",
        "tailrace.connectors.shared.arrow_values.decimals",
        "tailrace.connectors.change_tables.lsn_columns",
    ),
)
