"""The settings of the MySQL connector."""

from __future__ import annotations

from attrs import frozen

from tailrace.config.secret import Secret
from tailrace.config.settings import Settings


@frozen(kw_only=True)
class MySqlSettings(Settings):
    """The configuration of a MySQL connector, checked."""

    # Connection
    database_user: str
    database_server_id: int
    database_server_id_offset: int
    database_ssl_mode: str
    database_ssl_keystore: str | None
    database_ssl_keystore_password: Secret | None
    database_ssl_truststore: str | None
    database_ssl_truststore_password: Secret | None
    driver_allowpublickeyretrieval: bool
    driver_serverrsapublickeyfile: str | None
    driver_allowmultiqueries: bool
    database_initial_statements: str | None
    connect_timeout_ms: int
    connect_keep_alive: bool
    connect_keep_alive_interval_ms: int
    binlog_net_write_timeout: int
    binlog_net_read_timeout: int

    # Events
    binary_handling_mode: str
    unavailable_value_placeholder: str
    bigint_unsigned_handling_mode: str
    enable_time_adjuster: bool
    include_query: bool

    # Reading the binlog
    gtid_source_includes: tuple[str, ...]
    gtid_source_excludes: tuple[str, ...]
    gtid_source_filter_dml_events: bool
    gtid_ignore_on_recovery: bool
    read_only: bool
    inconsistent_schema_handling_mode: str
    event_converting_failure_handling_mode: str
    schema_history_internal_skip_unparseable_ddl: bool
