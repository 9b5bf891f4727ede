"""The settings of the SQL Server connector."""

from __future__ import annotations

from attrs import frozen

from tailrace.config.secret import Secret
from tailrace.config.time_zones import TimeZone, time_zone
from tailrace.connectors.change_tables.settings import ChangeTableSettings
from tailrace.connectors.sqlserver.properties.reading import FUNCTION, PROCESSING
from tailrace.schema.event_shapes import CURRENT


@frozen(kw_only=True)
class SqlServerSettings(ChangeTableSettings):
    """The configuration of a SQL Server connector, checked."""

    # Connection
    database_instance: str | None
    database_user: str | None
    database_names: tuple[str, ...]
    driver_encrypt: str
    driver_trustservercertificate: bool
    driver_hostnameincertificate: str | None
    driver_servercertificate: str | None
    driver_truststore: str | None
    driver_truststorepassword: Secret | None
    driver_authentication: str | None
    driver_integratedsecurity: bool
    driver_serverspn: str | None
    driver_msiclientid: str | None
    driver_applicationintent: str
    driver_applicationname: str | None
    driver_multisubnetfailover: bool
    driver_logintimeout: int
    driver_connectretrycount: int
    driver_connectretryinterval: int
    driver_packetsize: int | None
    driver_ipaddresspreference: str
    database_sqlserver_agent_status_query: str | None

    # Tables, columns and operations
    schema_include_list: tuple[str, ...]
    schema_exclude_list: tuple[str, ...]

    # Events
    binary_handling_mode: str
    unavailable_value_placeholder: str

    # Reading the change tables
    source_timestamp_mode: str
    database_server_timezone: str | None
    data_query_mode: str
    max_iteration_transactions: int
    streaming_fetch_size: int

    # Snapshots
    incremental_snapshot_option_recompile: bool

    @property
    def instance(self) -> str | None:
        """The named instance whose port must be resolved; None if the port is configured."""
        has_port = self.is_given("database.port")
        return None if has_port else self.database_instance

    @property
    def server_zone(self) -> TimeZone | None:
        """The time zone of the server's clock; None if it is not configured."""
        return None if self.database_server_timezone is None else time_zone(self.database_server_timezone)

    @property
    def uses_commit_time(self) -> bool:
        """Whether the time of a change is its transaction's end, and not its begin.

        The end is the commit, to which `source.timestamp.mode` refers. Debezium used it up to 3.6, where reading change
        tables directly uses the begin.
        """
        asked_for = self.is_given("source.timestamp.mode")
        return asked_for or self.data_query_mode == FUNCTION or self.tailrace_event_shape != CURRENT

    @property
    def uses_processing_time(self) -> bool:
        """Whether the source block's times are those of reading, instead of those of the transaction."""
        return self.source_timestamp_mode == PROCESSING

    @property
    def reads_replica(self) -> bool:
        """Whether a read-only replica is requested, which has only snapshot isolation."""
        return self.driver_applicationintent == "ReadOnly"
