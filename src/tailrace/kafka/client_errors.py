"""What an error of confluent-kafka's clients (consumer, admin) means: wrong settings, or retriable."""

from __future__ import annotations

from typing import Final

from confluent_kafka import KafkaError

from tailrace.errors import ConfigError, RetriableError, TailraceError

_FOR_GOOD: Final = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.UNSUPPORTED_SASL_MECHANISM,
        KafkaError.ILLEGAL_SASL_STATE,
        KafkaError.INVALID_REPLICATION_FACTOR,
        KafkaError.INVALID_PARTITIONS,
        KafkaError.INVALID_CONFIG,
        KafkaError.INVALID_REQUEST,
        KafkaError.POLICY_VIOLATION,
        KafkaError.TOPIC_EXCEPTION,
        KafkaError.UNSUPPORTED_VERSION,
        KafkaError._AUTHENTICATION,  # noqa: SLF001 -- librdkafka's own codes are spelled so
        KafkaError._SSL,  # noqa: SLF001
        KafkaError._UNSUPPORTED_FEATURE,  # noqa: SLF001
    }
)


def client_error(error: KafkaError, what: str) -> TailraceError:
    """The error to raise; `what` begins the sentence: what failed."""
    text = f"{what}: {error.str()}"
    return ConfigError(text) if is_for_good(error) else RetriableError(text)


def is_for_good(error: KafkaError) -> bool:
    """Whether a retry can't help: settings or rights must change first."""
    return error.code() in _FOR_GOOD
