"""Options tried on the client library: a client is made without brokers and dropped, and nothing connects.

It is the library that knows which options there are, what they may be, what goes together, and whether a key fits its
certificate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from tailrace.errors import ConfigError
from tailrace.kafka.msk import without_marks

_MAKERS: Final = {"producer": Producer, "consumer": Consumer, "admin": AdminClient}
_SILENT: Final = {"log_level": "0"}
_UNKNOWN: Final = re.compile(r'No such configuration property: "([^"]*)"')
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
    except (KafkaException, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(_complaint(error, options, prefix)) from None


@cache
def is_option(name: str) -> bool:
    """Whether the client library has a property of that name, whatever its value may be."""
    if not _is_text(name):
        return True  # which `try_options` tells
    try:
        Producer({**_SILENT, name: ""})  # takes the consumer's, too
    except KafkaException as error:
        return not _UNKNOWN.search(error.args[0].str())
    except (AttributeError, TypeError, ValueError):
        return True
    return True


def _check_texts(options: Mapping[str, str], prefix: str) -> None:
    """A text of C ends at its first zero, and half a character is none: the library misreads such texts, or breaks."""
    for name, text in options.items():
        if not _is_text(name + text):
            shown = "".join(each if each.isprintable() else "?" for each in name)
            raise ConfigError(f"{prefix}{shown} has a character that no text can have")


def _is_text(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


def _complaint(error: Exception, options: Mapping[str, str], prefix: str) -> str:
    text = error.args[0].str() if isinstance(error, KafkaException) else str(error)
    if match := _INVALID.search(text):
        return f"{prefix}{match[1]} has a value that it can't have"
    if "mechanism GSSAPI" in text:
        return f"{prefix}sasl.mechanism: {_KERBEROS}"
    return f"{prefix}*: {_without_values(text.removeprefix('Failed to create producer: '), options)}"


def _without_values(text: str, options: Mapping[str, str]) -> str:
    """The library's messages hold no values but paths; that is not left to chance."""
    secret = re.compile(r"password|secret|pem|jaas|config")
    for name, value in options.items():
        if value and secret.search(name):
            text = text.replace(value, "********")
    return text
