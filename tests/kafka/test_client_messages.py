"""What librdkafka says is told without secrets and logins."""

import pytest

from tailrace.kafka.hiding import Hiding

URL = "https://me:hunter2@idp.example.org/token"
SHOWN = "https:********@idp.example.org/token"


OPTIONS = {
    "bootstrap.servers": "127.0.0.1:1",
    "sasl.oauthbearer.token.endpoint.url": URL,
    "ssl.key.password": "hunter3",
    "sasl.password": "hunter3more",
    "sasl.oauthbearer.assertion.private.key.passphrase": "hunter4",
    "client.id": "a-client",
}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"no token from {URL}: 401", f"no token from {SHOWN}: 401"),
        ("hunter3 does not open the key", "******** does not open the key"),
        ("hunter4 is wrong", "******** is wrong"),
        ("hunter3more is wrong", "******** is wrong"),  # nothing of it is left, although another one begins it
        ("a-client: 127.0.0.1:1 is down", "a-client: 127.0.0.1:1 is down"),
    ],
)
def test_secrets_and_logins_in_addresses_are_taken_out(said, told):
    assert Hiding(OPTIONS)(said) == told
