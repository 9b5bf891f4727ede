"""Tokens for brokers, made on a client's request: signatures with AWS credentials for Amazon MSK.

Credentials come from where the AWS libraries look for them (environment, profile, the machine's role), in the process
that has the client; they and the tokens stay there. A token is valid for a quarter of an hour, and librdkafka requests
the next one in time, from its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from tailrace.errors import ConfigError, RetriableError
from tailrace.kafka.msk import DEBUG, PROFILE, REGION, ROLE, SESSION, without_marks

_WHAT: Final = "no token can be signed for Amazon MSK"
_NO_CREDENTIALS: Final = "no AWS credentials are found in the environment, a profile or the machine's role"
_UNREACHABLE: Final = frozenset({"EndpointConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "ConnectionClosedError"})


class Token(NamedTuple):
    """A token and when it ends, in milliseconds since 1970."""

    text: str
    ends_ms: int


def token_source(options: Mapping[str, str]) -> Callable[[], Token] | None:
    """A function that makes tokens for a client with these options; None if it needs none."""
    return (lambda: _signed(options)) if options.get(REGION) else None


def client_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options for a confluent-kafka client, with a callback if it needs tokens.

    Raises:
        ConfigError: there are no credentials, or they are not accepted.
        RetriableError: AWS could not be reached.

    """
    source = token_source(options)
    if source is None:
        return dict(options)
    first = [source()]  # so that errors are raised here, not as a timeout

    def give(_: str | None) -> tuple[str, float]:
        token = first.pop() if first else source()
        return token.text, token.ends_ms / 1000

    return {**without_marks(options), "oauth_cb": give}


def _signed(options: Mapping[str, str]) -> Token:
    from aws_msk_iam_sasl_signer import MSKAuthTokenProvider as signer  # noqa: N813 - a module

    region = options[REGION]
    try:
        if profile := options.get(PROFILE):
            return Token(*signer.generate_auth_token_from_profile(region, profile))
        if role := options.get(ROLE):
            session = {"sts_session_name": options[SESSION]} if options.get(SESSION) else {}
            return Token(*signer.generate_auth_token_from_role_arn(region, role, **session))
        debug = options.get(DEBUG, "").lower() == "true"
        return Token(*signer.generate_auth_token(region, aws_debug_creds=debug))
    except AttributeError:  # the library's error when there are none
        raise ConfigError(f"{_WHAT}: {_NO_CREDENTIALS}") from None
    except Exception as error:  # noqa: BLE001 - the library's errors have no base of their own
        kind = RetriableError if type(error).__name__ in _UNREACHABLE else ConfigError
        raise kind(f"{_WHAT}: {type(error).__name__}: {error}") from None
