"""The settings of the SQL Server connector."""

from __future__ import annotations

from attrs import frozen

from tailrace.config.settings.common import Settings


@frozen(kw_only=True)
class SqlServerSettings(Settings):
    """The configuration of a SQL Server connector, checked."""

    # Connection
    database_instance: str | None
    database_user: str | None
    database_names: tuple[str, ...]
    driver_encrypt: str
    driver_trustservercertificate: bool
    driver_hostnameincertificate: str | None
    driver_servercertificate: str | None
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
    unavailable_value_placeholder: str

    # Reading the change tables
    data_query_mode: str
    max_iteration_transactions: int
    streaming_fetch_size: int

    # Snapshots
    snapshot_isolation_mode: str | None
    incremental_snapshot_option_recompile: bool

    @property
    def instance(self) -> str | None:
        """The named instance whose port has to be asked for; None where the port is known."""
        has_port = any(name == "database.port" for name, _ in self.given)
        return None if has_port else self.database_instance

    @property
    def lock_timeout_is_final(self) -> bool:
        """Whether a snapshot fails where it can't have a lock in time, instead of waiting for it again."""
        is_given = any(name == "snapshot.lock.timeout.ms" for name, _ in self.given)
        return is_given or self.snapshot_isolation_mode is not None

    @property
    def reads_replica(self) -> bool:
        """Whether a read-only replica is asked for, where only snapshot isolation is to be had."""
        return self.driver_applicationintent == "ReadOnly"
