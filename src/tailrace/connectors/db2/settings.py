"""The settings of the Db2 connector."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from attrs import frozen

from tailrace.config.secret import Secret
from tailrace.connectors.change_tables.settings import ChangeTableSettings
from tailrace.connectors.db2.properties.events import PLACEHOLDER
from tailrace.connectors.db2.properties.reading import PROCESSING, ZOS
from tailrace.schema.tables import TableId

_PATIENCE: Final = 30


@frozen(kw_only=True)
class Db2Settings(ChangeTableSettings):
    """The configuration of a Db2 connector, checked."""

    # Connection
    database_user: str
    database_dbname: str
    driver_sslconnection: bool
    driver_ssltruststorelocation: str | None
    driver_ssltruststorepassword: Secret | None
    driver_sslcertlocation: str | None
    driver_securitymechanism: str | None
    tailrace_login_without_tls: bool
    driver_logintimeout: int
    driver_clientprogramname: str | None
    driver_currentschema: str | None

    # Tables, columns and operations
    schema_include_list: tuple[str, ...]
    schema_exclude_list: tuple[str, ...]

    # Events
    tailrace_large_objects: str
    unavailable_value_placeholder: str

    # Reading the change tables
    db2_platform: str
    cdc_control_schema: str
    source_timestamp_mode: str
    tailrace_registered_anew: str
    streaming_query_timespan_seconds: int

    @property
    def is_zos(self) -> bool:
        """Whether the server is Db2 for z/OS, which has another catalogue and shorter LSNs."""
        return self.db2_platform == ZOS

    @property
    def control_schema(self) -> str:
        """The schema of the control tables, as the catalogue has it."""
        name = self.cdc_control_schema
        return name[1:-1].replace('""', '"') if name.startswith('"') else name.upper()

    @property
    def connect_seconds(self) -> int:
        """How long to wait for a connection."""
        return self.driver_logintimeout or _PATIENCE

    @property
    def application(self) -> str:
        """The name under which the server lists the connections."""
        return self.driver_clientprogramname or "tailrace"

    def told_name(self, table: TableId) -> str:
        """A table's name in notifications: a connector reads one database, which is not named."""
        return str(replace(table, catalog=""))

    @property
    def uses_processing_time(self) -> bool:
        """Whether the source block's times are those of reading, instead of those of the commit."""
        return self.source_timestamp_mode == PROCESSING

    @property
    def large_object_placeholder(self) -> str | None:
        """What stands for large objects that change tables don't have; None: a null."""
        return self.unavailable_value_placeholder if self.tailrace_large_objects == PLACEHOLDER else None
