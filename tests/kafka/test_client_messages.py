"""What librdkafka says is told without secrets and logins; nothing connects."""

import pytest

from tailrace.kafka.client import Client

URL = "https://me:hunter2@idp.example.org/token"
SHOWN = "https:********@idp.example.org/token"


@pytest.fixture
def client():
    made = Client({
        "bootstrap.servers": "127.0.0.1:1",
        "sasl.oauthbearer.token.endpoint.url": URL,
        "ssl.key.password": "hunter3",
        "client.id": "a-client",
    })  # fmt: skip
    yield made
    made.close(None)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"no token from {URL}: 401", f"no token from {SHOWN}: 401"),
        ("hunter3 does not open the key", "*** does not open the key"),
        ("a-client: 127.0.0.1:1 is down", "a-client: 127.0.0.1:1 is down"),
    ],
)
def test_secrets_and_logins_in_addresses_are_taken_out(client, said, told):
    assert client._without_secrets(said) == told


def test_a_passphrase_is_a_secret():
    name = "sasl.oauthbearer.assertion.private.key.passphrase"
    made = Client({"bootstrap.servers": "127.0.0.1:1", name: "hunter4"})
    try:
        assert made._without_secrets("hunter4 is wrong") == "*** is wrong"
    finally:
        made.close(None)
