"""The settings of a connector: one typed, immutable object that everything else reads.

Each supported property is an attribute with underscores instead of dots and hyphens. Lists are tuples of strings,
enumerations are strings as Debezium spells them, durations are numbers in the unit of the property's name. Defaults are in
the property tables; `connectors/load.py` makes these objects. Settings are pickled and sent to the executors.

`Settings` has the properties of all connectors. A connector's own are in a subclass in the connector's folder.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from tailrace.config.custom_converter_settings import CustomConverterSettings
from tailrace.config.filters import (
    ColumnFilter,
    ColumnPolicy,
    MessageKeys,
    SourceTypes,
    TableFilter,
    TableNames,
)
from tailrace.config.overrides import SelectOverrides
from tailrace.config.passthrough import PassThrough
from tailrace.config.reselection import Reselection
from tailrace.config.secret import Secret
from tailrace.config.topic_creation import TopicCreation
from tailrace.config.transform_settings import TransformSettings
from tailrace.schema.routing import Routing
from tailrace.schema.tables import TableId

MOST_POLL_MS: Final = 5_000


@frozen(kw_only=True)
class Settings:
    """The validated configuration of one connector; subclasses add a connector's own properties.

    Attributes after the properties:
        routing: the topic of each table's changes.
        key_format, value_format, header_format: the settings of a converter with properties of its own, such as Avro's; None:
            it has none.
        custom_converters: those of `converters`, in order, with their properties.
        reselections: the post processors of `post.processors`, in order: each is a `ReselectColumnsPostProcessor`.
        transform_chain: the transforms in order, with their properties.
        topics_by_content: transforms take topics from what records contain, so that one lane has to deliver them.
        tables: which tables are captured.
        columns: which columns are in an event's value.
        column_rules: what happens to columns, in Debezium's order; the first that matches counts.
        select_overrides: custom SELECT statements of a snapshot.
        snapshot_tables: which of the captured tables a snapshot reads.
        message_keys: which columns make the key instead of those of the primary key.
        topic_creation: how topics are created.
        producer_override, consumer_override, admin_override: properties of the Kafka sink's clients.
        schema_history_producer, schema_history_consumer: of the clients of the schema history topic.
        signal_consumer: of the client of the signal topic.
        warnings: what is set and has no effect, one sentence each.
        notes: what is assumed because nothing is set, one sentence each.
        given: the properties of the configuration by their current names, with secrets hidden.

    """

    # Connection
    database_hostname: str
    database_port: int
    database_password: Secret | None
    database_query_timeout_ms: int
    errors_max_retries: int
    retriable_restart_connector_wait_ms: int

    # Tables, columns and operations
    database_include_list: tuple[str, ...]
    database_exclude_list: tuple[str, ...]
    table_include_list: tuple[str, ...]
    table_exclude_list: tuple[str, ...]
    table_ignore_builtin: bool
    column_include_list: tuple[str, ...]
    column_exclude_list: tuple[str, ...]
    column_propagate_source_type: tuple[str, ...]
    datatype_propagate_source_type: tuple[str, ...]
    message_key_columns: str | None
    skipped_operations: frozenset[str]
    skip_messages_without_change: bool
    guardrail_collections_max: int
    guardrail_collections_limit_action: str

    # Events
    topic_prefix: str
    time_precision_mode: str
    decimal_handling_mode: str
    tombstones_on_delete: bool
    include_schema_changes: bool
    include_schema_comments: bool
    provide_transaction_metadata: bool
    transaction_metadata_factory: str
    schema_name_adjustment_mode: str
    field_name_adjustment_mode: str
    topic_naming_strategy: str
    topic_delimiter: str
    topic_transaction: str
    topic_heartbeat_prefix: str
    topic_heartbeat_name: str | None
    heartbeat_interval_ms: int
    heartbeat_action_query: str | None
    source_struct_version: str
    sourceinfo_struct_maker: str
    converters: tuple[str, ...]
    post_processors: tuple[str, ...]

    # Reading the log
    poll_interval_ms: int
    streaming_delay_ms: int
    event_processing_failure_handling_mode: str
    statistics_metrics_enabled: bool
    custom_metric_tags: tuple[str, ...]
    custom_sanitize_pattern: str | None

    # Schema history
    schema_history_internal: str | None
    schema_history_internal_file_filename: str | None
    schema_history_internal_store_only_captured_tables_ddl: bool
    schema_history_internal_store_only_captured_databases_ddl: bool
    schema_history_internal_kafka_topic: str | None
    schema_history_internal_kafka_bootstrap_servers: str | None
    schema_history_internal_kafka_recovery_poll_interval_ms: int
    schema_history_internal_kafka_recovery_attempts: int
    schema_history_internal_kafka_query_timeout_ms: int
    schema_history_internal_kafka_create_timeout_ms: int
    schema_history_internal_kafka_buffer_batch_size: int

    # Snapshots
    snapshot_mode: str
    snapshot_locking_mode: str
    snapshot_include_collection_list: tuple[str, ...]
    snapshot_delay_ms: int
    snapshot_lock_timeout_ms: int
    snapshot_max_threads: int | None
    snapshot_max_threads_multiplier: int
    legacy_snapshot_max_threads: bool
    snapshot_tables_order_by_row_count: str
    snapshot_select_statement_overrides: tuple[str, ...]
    snapshot_query_mode: str
    snapshot_locking_mode_custom_name: str | None
    snapshot_mode_custom_name: str | None
    snapshot_mode_configuration_based_snapshot_data: bool
    snapshot_mode_configuration_based_snapshot_schema: bool
    snapshot_mode_configuration_based_start_stream: bool
    snapshot_mode_configuration_based_snapshot_on_schema_error: bool
    snapshot_mode_configuration_based_snapshot_on_data_error: bool
    incremental_snapshot_chunk_size: int | None

    # Signals and notifications
    signal_data_collection: tuple[str, ...]
    signal_enabled_channels: tuple[str, ...]
    signal_poll_interval_ms: int
    tailrace_signal_conditions: bool
    signal_file: str
    signal_kafka_topic: str
    signal_kafka_groupid: str
    signal_kafka_bootstrap_servers: str | None
    signal_kafka_poll_timeout_ms: int
    notification_enabled_channels: tuple[str, ...]
    notification_sink_topic_name: str | None

    # Kafka Connect
    name: str
    connector_class: str
    tasks_max: int
    key_converter: str
    key_converter_schemas_enable: bool
    key_converter_decimal_format: str
    key_converter_replace_null_with_default: bool
    value_converter: str
    value_converter_schemas_enable: bool
    value_converter_decimal_format: str
    value_converter_replace_null_with_default: bool
    header_converter: str
    header_converter_schemas_enable: bool
    header_converter_decimal_format: str
    header_converter_replace_null_with_default: bool
    transforms: tuple[str, ...]
    predicates: tuple[str, ...]
    exactly_once_support: str
    offsets_storage_topic: str | None
    errors_tolerance: str
    topic_creation_enable: bool
    topic_creation_groups: tuple[str, ...]
    openlineage_integration_enabled: bool

    # tailrace's own
    tailrace_start_without_tables: bool
    tailrace_slice_ms: int
    tailrace_event_shape: str
    tailrace_context_headers: bool
    tailrace_delivery_guarantee: str
    tailrace_progress_topic: str | None
    tailrace_history_topic: str | None
    tailrace_transactional_id_prefix: str | None

    # Worked out from them
    routing: Routing
    key_format: object | None
    value_format: object | None
    header_format: object | None
    custom_converters: tuple[CustomConverterSettings, ...]
    reselections: tuple[Reselection, ...]
    transform_chain: tuple[TransformSettings, ...]
    topics_by_content: bool
    tables: TableFilter
    columns: ColumnFilter
    column_rules: tuple[ColumnPolicy | SourceTypes, ...]
    message_keys: MessageKeys
    select_overrides: SelectOverrides
    snapshot_tables: TableNames
    topic_creation: TopicCreation
    producer_override: PassThrough
    consumer_override: PassThrough
    admin_override: PassThrough
    schema_history_producer: PassThrough
    schema_history_consumer: PassThrough
    signal_consumer: PassThrough
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    given: tuple[tuple[str, str], ...]

    def told_name(self, table: TableId) -> str:
        """A table's name in notifications."""
        return str(table)

    def is_given(self, name: str) -> bool:
        """Whether the configuration has a property, by its current name, whatever its value."""
        return any(given == name for given, _ in self.given)

    @property
    def poll_ms(self) -> int:
        """How long to wait for new changes: `poll.interval.ms`, capped so that a stop does not take longer than the cap."""
        return min(self.poll_interval_ms, MOST_POLL_MS)

    @property
    def column_policies(self) -> tuple[ColumnPolicy, ...]:
        """The rules that change values (truncation, masks, hashes), in Debezium's order."""
        return tuple(rule for rule in self.column_rules if not isinstance(rule, SourceTypes))

    @property
    def source_types(self) -> SourceTypes:
        """The columns whose field schemas have their source type as parameters."""
        return next((rule for rule in self.column_rules if isinstance(rule, SourceTypes)), SourceTypes())

    def column_rule(self, table: TableId, column: str, type_name: str) -> ColumnPolicy | SourceTypes | None:
        """The rule that applies to a column; `type_name` is as in DDL, without length: `VARCHAR`.

        Debezium applies only the first rule that matches: a truncated column is not masked as well, and a column whose
        source type is propagated is not hashed.
        """
        for rule in self.column_rules:
            more = (type_name,) if isinstance(rule, SourceTypes) else ()
            if rule.matches(table, column, *more):
                return rule
        return None

    def redacted(self) -> dict[str, str]:
        """The properties of the configuration by their current names, with asterisks for secrets."""
        return dict(self.given)
