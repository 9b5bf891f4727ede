"""Config providers: which class does what, and what to do about those that tailrace does not have.

Kafka Connect loads providers as Java classes. tailrace has three built in. For well-known others the message says what they
are and how the value can be provided instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

OURS: Final = ("env", "file", "directory")
CLASSES: Final[Mapping[str, str]] = {
    "org.apache.kafka.common.config.provider.EnvVarConfigProvider": "env",
    "org.apache.kafka.common.config.provider.FileConfigProvider": "file",
    "org.apache.kafka.common.config.provider.DirectoryConfigProvider": "directory",
    "io.strimzi.kafka.EnvVarConfigProvider": "env",
    "io.strimzi.kafka.KubernetesSecretConfigProvider": "secrets",
    "io.strimzi.kafka.KubernetesConfigMapConfigProvider": "configmaps",
    "com.amazonaws.kafka.config.providers.SecretsManagerConfigProvider": "secretsmanager",
    "com.amazonaws.kafka.config.providers.SsmParamStoreConfigProvider": "ssm",
    "com.amazonaws.kafka.config.providers.S3ImportConfigProvider": "s3",
    "io.lenses.connect.secrets.providers.VaultSecretProvider": "vault",
    "io.lenses.connect.secrets.providers.AWSSecretProvider": "secretsmanager",
    "io.lenses.connect.secrets.providers.AzureSecretProvider": "azure",
    "io.lenses.connect.secrets.providers.ENVSecretProvider": "env",
    "com.github.jcustenborder.kafka.config.vault.VaultConfigProvider": "vault",
    "com.github.jcustenborder.kafka.config.aws.SecretsManagerConfigProvider": "secretsmanager",
}
"""Java classes of providers, with the usual name of such a provider in placeholders."""
_MOUNT = (
    "mount it as a volume and write ${{directory:/MOUNT/PATH:{key}}}, or set an environment variable from it and write "
    "${{env:NAME}}"
)
_FETCH = (
    "let the deployment write the value to a file or an environment variable, and write ${{file:PATH:KEY}} or ${{env:NAME}}"
)
_FOREIGN: Final[Mapping[str, tuple[str, str]]] = {
    "secrets": ("a Kubernetes Secret, which Strimzi's provider asks the Kubernetes API for", _MOUNT),
    "configmaps": ("a Kubernetes ConfigMap, which Strimzi's provider asks the Kubernetes API for", _MOUNT),
    "secretmanager": ("a secret of a cloud's secret manager", _FETCH),
    "secretsmanager": ("a secret of AWS Secrets Manager", _FETCH),
    "aws": ("a secret of AWS", _FETCH),
    "ssm": ("a parameter of AWS Systems Manager", _FETCH),
    "s3": ("an object in Amazon S3", _FETCH),
    "vault": ("a secret of HashiCorp Vault", _FETCH),
    "keyvault": ("a secret of Azure Key Vault", _FETCH),
    "azure": ("a secret of Azure Key Vault", _FETCH),
    "gcp": ("a secret of Google Secret Manager", _FETCH),
    "securepass": ("a secret of Confluent's own provider", _FETCH),
}
_NAME = re.compile(r"[a-z][\w\-]*")


def is_provider(name: str, path: str | None) -> bool:
    """Whether a placeholder means a config provider. `${DB_PORT:3306}` and `${db.port:3306}` are defaults in other tools."""
    return name in OURS or _plain(name) in _FOREIGN or path is not None or _NAME.fullmatch(name) is not None


def instead_of(name: str, path: str | None, key: str) -> str:
    """What an unsupported provider is, and what to write instead."""
    what, remedy = _FOREIGN.get(_plain(name), ("", ""))
    if not what:
        return (
            f"names the provider {name!r}; there are {', '.join(OURS[:-1])} and {OURS[-1]}, and by other names those "
            "that the file of --worker declares"
        )
    place = f" ({path})" if path else ""
    return f"names the provider {name!r}, {what}{place}; tailrace does not ask there: {remedy.format(key=key)}"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
