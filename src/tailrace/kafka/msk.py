"""Amazon MSK's login with IAM: from the properties of Java's clients to librdkafka's.

    sasl.mechanism=AWS_MSK_IAM
    sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required awsProfileName="cdc";
    sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler

librdkafka does not know this mechanism, but MSK also accepts the signature as an OAUTHBEARER token, which is what
Amazon's `IAMOAuthBearerLoginCallbackHandler` sends. So both become OAUTHBEARER with our own options (`MARK`), which say
whose credentials sign. They hold no secret; `tailrace.kafka.tokens` turns them into a callback when a client is
created.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from tailrace.errors import ConfigError, MissingLocallyError
from tailrace.kafka.jaas import JaasLogin

MECHANISM: Final = "AWS_MSK_IAM"
MODULE: Final = "IAMLoginModule"
CLIENT_HANDLER: Final = "software.amazon.msk.auth.iam.IAMClientCallbackHandler"
TOKEN_HANDLER: Final = "software.amazon.msk.auth.iam.IAMOAuthBearerLoginCallbackHandler"  # noqa: S105 - a class's name
MARK: Final = "tailrace.msk."
REGION: Final = f"{MARK}region"
PROFILE: Final = f"{MARK}profile"
ROLE: Final = f"{MARK}role"
SESSION: Final = f"{MARK}session"
DEBUG: Final = f"{MARK}debug"
_TAKEN: Final = {
    "awsProfileName": PROFILE,
    "awsRoleArn": ROLE,
    "awsRoleSessionName": SESSION,
    "awsStsSessionName": SESSION,
    "awsDebugCreds": DEBUG,
}
_IGNORED: Final = frozenset({"awsMaxRetries", "awsMaxBackOffTimeMs"})  # for credentials, which boto3 fetches differently
_INSTEAD: Final = {"awsStsRegion": "; set AWS_REGION in the environment instead"}
_ADDRESS: Final = re.compile(r"\.kafka(?:-serverless)?\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?(?::\d+)?$")
_LIBRARY: Final = "aws_msk_iam_sasl_signer"


def is_iam(given: Mapping[str, str], login: JaasLogin | None) -> bool:
    """Whether Java's properties mean a login with IAM."""
    return (
        given.get("sasl.mechanism", "").upper() == MECHANISM
        or given.get("sasl.client.callback.handler.class") == CLIENT_HANDLER
        or given.get("sasl.login.callback.handler.class") == TOKEN_HANDLER
        or (login is not None and login.module == MODULE)
    )


def iam_options(given: Mapping[str, str], login: JaasLogin | None, prefix: str) -> dict[str, str]:
    """Librdkafka's mechanism, and whose credentials sign.

    Raises:
        ConfigError: another mechanism is named, or an unsupported option.

    """
    mechanism = given.get("sasl.mechanism", MECHANISM).upper()
    if mechanism not in {MECHANISM, "OAUTHBEARER"}:
        raise ConfigError(f"{prefix}sasl.mechanism is {mechanism!r}: with Amazon's classes for IAM it must be {MECHANISM}")
    options = {"sasl.mechanism": "OAUTHBEARER", REGION: ""}
    for name, text in (login.options if login else {}).items():
        if name in _TAKEN:
            options[_TAKEN[name]] = text
        elif name not in _IGNORED:
            raise ConfigError(f"{prefix}sasl.jaas.config: the option {name} is not supported{_INSTEAD.get(name, '')}")
    if PROFILE in options and ROLE in options:
        raise ConfigError(f"{prefix}sasl.jaas.config: awsProfileName and awsRoleArn can't be had together: keep one")
    return options


def with_region(options: Mapping[str, str]) -> dict[str, str]:
    """The options with the region that signatures are for, if IAM is used.

    Raises:
        MissingLocallyError: nothing says the region, or the library that signs is not installed.

    """
    if REGION not in options:
        return dict(options)
    if find_spec(_LIBRARY) is None:
        raise MissingLocallyError(
            "sasl.mechanism AWS_MSK_IAM needs a library of Amazon's that signs: install tailrace with it, "
            "pip install 'tailrace[msk]', also where Spark's executors run"
        )
    servers = options.get("bootstrap.servers", "")
    found = [match[1] for each in servers.split(",") if (match := _ADDRESS.search(each.strip()))]
    region = next(iter(found), "") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not region:
        raise MissingLocallyError(
            f"sasl.mechanism AWS_MSK_IAM: the brokers' address ({servers}) does not name the AWS region: set AWS_REGION in the "
            "environment"
        )
    return {**options, REGION: region}


def without_marks(options: Mapping[str, str]) -> dict[str, str]:
    """Only the options that librdkafka itself knows."""
    return {name: text for name, text in options.items() if not name.startswith(MARK)}
