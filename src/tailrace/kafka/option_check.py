"""Options tested with the client library: a client is created without brokers and dropped; nothing connects.

Only the library knows which options exist, their valid values and combinations, and whether a key matches its
certificate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from tailrace.errors import ConfigError
from tailrace.kafka.hiding import Hiding
from tailrace.kafka.msk import without_marks

_MAKERS: Final = {"producer": Producer, "consumer": Consumer, "admin": AdminClient}
_SILENT: Final = {"log_level": "0"}
_KERBEROS: Final = (
    "Kerberos (GSSAPI), which is also what is meant where no mechanism is named, is not in the client library; see the guide "
    "on Kafka's security"
)
_INVALID: Final = re.compile(r'Invalid value .*for configuration property "([^"]*)"', re.DOTALL)


def try_options(kind: str, options: Mapping[str, str], prefix: str, *, transactional: bool = False) -> None:
    """Raise `ConfigError`, with the property's name and not its value, when no such client can be made."""
    _check_texts(options, prefix)
    surplus = {"group.id": "trial"} if kind == "consumer" else {}
    if transactional:
        surplus["transactional.id"] = "trial"
    try:
        _MAKERS[kind]({**surplus, **without_marks(options), **_SILENT})
    except (KafkaException, TypeError, ValueError) as error:
        raise ConfigError(_complaint(error, options, prefix)) from None


def _check_texts(options: Mapping[str, str], prefix: str) -> None:
    """Refuse zeros and lone surrogates: a C string ends at its first zero, and the library misreads or crashes."""
    for name, text in options.items():
        if "\0" in name + text or any("\ud800" <= each <= "\udfff" for each in name + text):
            shown = "".join(each if each.isprintable() else "?" for each in name)
            raise ConfigError(f"{prefix}{shown} has a character that no text can have")


def _complaint(error: Exception, options: Mapping[str, str], prefix: str) -> str:
    text = error.args[0].str() if isinstance(error, KafkaException) else str(error)
    if match := _INVALID.search(text):
        return f"{prefix}{match[1]} has a value that it can't have"
    if "mechanism GSSAPI" in text:
        return f"{prefix}sasl.mechanism: {_KERBEROS}"
    return f"{prefix}*: {Hiding(options)(text.removeprefix('Failed to create producer: '))}"
