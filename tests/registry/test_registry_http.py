"""Requests to a registry: fail-over, restarts, logins, headers, TLS; no secret in any message."""

import base64
import datetime as dt
import ipaddress
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12
from cryptography.x509.oid import NameOID
from tests.support.fake_registry import FakeRegistry

from tailrace.config.passthrough import PassThrough
from tailrace.config.secret import Secret
from tailrace.errors import RegistryError, RegistryUnavailableError
from tailrace.key_stores import StoreFile
from tailrace.registry.connection import BasicLogin, OAuthLogin, RegistryConnection, Trust
from tailrace.registry.http import RegistryClient
from tailrace_standins.servers.ports import free_port


def client(*urls, **more):
    given = {"retries": 0, "wait": 0.0, **more}
    return RegistryClient(RegistryConnection(urls=urls, name="schema.registry.url", **given), "application/json")


def ask(asking):
    return asking.request("POST", "/subjects/s/versions", {"schema": '"int"'}, about="the schema of subject s")


def oauth(fake):
    return OAuthLogin(
        token_url=f"{fake.url}/token", client_id="me", secret=Secret("hush!"), scope="all", name="bearer.auth.issuer.endpoint.url"
    )


def authorizations(fake):
    return [headers.get("Authorization") for _, _, headers, _ in fake.requests]


def test_the_next_server_answers_when_one_does_not_and_stays_the_first_to_be_asked(fake):
    asking = client(f"http://127.0.0.1:{free_port()}", fake.url)
    assert ask(asking) == {"id": 1}
    assert asking._first == 1
    assert ask(asking) == {"id": 1}
    asking.close()


def test_all_servers_are_named_when_none_answers():
    urls = [f"http://127.0.0.1:{free_port()}" for _ in range(2)]
    with pytest.raises(RegistryUnavailableError) as error:
        ask(client(*urls, retries=1))
    assert all(url in str(error.value) for url in urls)


def test_a_server_that_was_restarted_is_connected_to_again():
    with FakeRegistry() as before:
        asking = client(before.url)
        ask(asking)
        port = before.port
        before.server.close_all()
    with FakeRegistry(port=port) as after:
        assert ask(asking) == {"id": 1}
        assert len(after.requests) == 1


def test_one_connection_serves_many_requests(fake):
    asking = client(fake.url)
    for _ in range(3):
        ask(asking)
    assert fake.connections == 1


def test_user_and_password_are_sent_as_basic_login(fake):
    ask(client(fake.url, login=BasicLogin(user="ü", password=Secret("p:w"))))
    assert authorizations(fake) == ["Basic " + base64.b64encode("ü:p:w".encode()).decode()]


def test_further_headers_are_sent_and_not_shown(fake):
    asking = client(fake.url, headers=PassThrough({"X-Key": "hush!"}), login=Secret("tok"))
    ask(asking)
    assert fake.requests[0][2]["X-Key"] == "hush!"
    assert authorizations(fake) == ["Bearer tok"]
    assert "hush!" not in repr(asking._settings)


def test_a_token_is_fetched_once_and_used_for_all_requests(fake):
    asking = client(fake.url, login=oauth(fake))
    ask(asking)
    ask(asking)
    token, *others = fake.requests
    assert token[3] == b"grant_type=client_credentials&scope=all"
    assert token[2]["Authorization"] == "Basic " + base64.b64encode(b"me:hush%21").decode()
    assert [headers["Authorization"] for _, _, headers, _ in others] == ["Bearer fresh"] * 2


def test_a_token_that_is_refused_is_fetched_once_more(fake):
    asking = client(fake.url, login=oauth(fake))
    ask(asking)
    fake.faults = [(401, {"error_code": 401, "message": "expired"})]
    assert ask(asking) == {"id": 1}
    assert [path for _, path, _, _ in fake.requests].count("/token") == 2


def test_a_token_server_that_refuses_is_named_with_what_it_says_and_without_the_secret(fake):
    fake.faults = [(401, {"error": "invalid_client", "error_description": "unknown client"})]
    with pytest.raises(RegistryError, match=r"gives the client me no token .*invalid_client: unknown client") as error:
        ask(client(fake.url, login=oauth(fake)))
    assert "hush!" not in str(error.value)


def test_a_token_server_that_fails_can_be_retried(fake):
    fake.faults = [(503, b"")]
    assert ask(client(fake.url, login=oauth(fake), retries=1)) == {"id": 1}


@pytest.mark.parametrize("login", [BasicLogin(user="u", password=Secret("hush!")), Secret("hush!")])
def test_a_refused_login_says_where_it_is_set_and_not_what_it_is(fake, login):
    fake.faults = [(401, {"error_code": 401, "message": "Unauthorized"})]
    with pytest.raises(RegistryError, match="see the converter's properties of the login") as error:
        ask(client(fake.url, login=login))
    assert "hush!" not in str(error.value)


def test_the_proxy_is_asked_for_the_whole_url(fake):
    fake.faults = [(200, {"id": 7})]
    assert ask(client("http://registry.example:8081/base/", proxy=("127.0.0.1", fake.port))) == {"id": 7}
    assert fake.requests[0][1] == "http://registry.example:8081/base/subjects/s/versions"


def test_an_answer_that_is_no_json_is_an_error(fake):
    fake.faults = [(200, b"<html>login</html>")]
    with pytest.raises(RegistryError, match="<html>login"):
        ask(client(fake.url))


@pytest.fixture
def encrypted(tmp_path):
    """A registry with TLS, and the trust store with its certificate (PKCS 12)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "registry")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "server.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    store = tmp_path / "trust.p12"
    store.write_bytes(
        pkcs12.serialize_key_and_certificates(b"x", key, certificate, None, _encryption(b"changeit"))
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    context.verify_mode = ssl.CERT_OPTIONAL
    context.load_verify_locations(pem)
    with FakeRegistry(tls=context) as started:
        yield started, StoreFile(
            name="schema.registry.ssl.truststore.location",
            path=str(store),
            password="changeit",
            password_name="schema.registry.ssl.truststore.password",
        )


def _encryption(password):
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption

    return BestAvailableEncryption(password)


def test_a_certificate_of_the_trust_store_is_trusted_and_another_is_not(encrypted):
    registry, store = encrypted
    assert ask(client(registry.url, trust=Trust(trusted=store))) == {"id": 1}
    with pytest.raises(RegistryUnavailableError, match="CERTIFICATE_VERIFY_FAILED"):
        ask(client(registry.url))


def test_a_clients_own_key_is_sent(encrypted):
    registry, store = encrypted
    assert ask(client(registry.url, trust=Trust(trusted=store, own=store))) == {"id": 1}
    assert registry.peers[-1]


def test_the_host_need_not_be_that_of_the_certificate_where_that_is_set(encrypted):
    registry, store = encrypted
    url = registry.url.replace("127.0.0.1", "localhost")
    with pytest.raises(RegistryUnavailableError, match="localhost"):
        ask(client(url, trust=Trust(trusted=store)))
    assert ask(client(url, trust=Trust(trusted=store, check_host=False))) == {"id": 1}
    assert ask(client(url, trust=Trust(check=False))) == {"id": 1}


ECHO = "Authorization: Bearer hush! Basic bWU6aHVzaCEh X-Key: hush!"


@pytest.mark.parametrize("answer", [(401, {"message": ECHO}), (500, ECHO.encode()), (200, b"<pre>" + ECHO.encode())])
@pytest.mark.parametrize("login", [BasicLogin(user="me", password=Secret("hush!!")), Secret("hush!")])
def test_what_a_server_sends_back_of_the_login_is_not_shown(fake, login, answer):
    fake.faults = [answer]
    with pytest.raises((RegistryError, RegistryUnavailableError)) as error:
        ask(client(fake.url, login=login, headers=PassThrough({"X-Key": "hush!"})))
    assert "***" in str(error.value)
    assert "hush" not in str(error.value)
    if isinstance(login, BasicLogin):
        assert "bWU6aHVzaCEh" not in str(error.value)


def test_a_token_server_that_sends_back_the_secret_does_not_make_it_shown(fake):
    fake.faults = [(401, {"error": "invalid_client", "error_description": "no client me with hush!"})]
    with pytest.raises(RegistryError, match=r"no client me with \*\*\*"):
        ask(client(fake.url, login=oauth(fake)))


@pytest.mark.parametrize(
    "answer",
    [
        {"access_token": "hush!\r\nX-Other: y", "expires_in": 60},
        {"access_token": "hush!", "expires_in": "soon"},
        {"access_token": "hush!", "expires_in": None},
        {"access_token": None},
        ["hush!"],
    ],
)
def test_a_token_that_is_none_is_an_error_without_the_token(fake, answer):
    fake.faults = [(200, answer)]
    with pytest.raises(RegistryError, match="the client me") as error:
        ask(client(fake.url, login=oauth(fake)))
    assert "hush!" not in str(error.value)
    assert [path for _, path, _, _ in fake.requests] == ["/token"]


def test_a_redirect_is_not_followed_and_said(fake):
    fake.faults = [(302, b"")]
    with pytest.raises(RegistryError, match=r"HTTP status 302.*another place"):
        ask(client(fake.url, login=Secret("hush!")))
    assert len(fake.requests) == 1


def test_an_answer_that_is_too_deep_is_an_error(fake):
    fake.faults = [(200, b"[" * 200_000)]
    with pytest.raises(RegistryError, match="refuses the schema of subject s"):
        ask(client(fake.url))


def test_a_redirect_to_another_host_does_not_get_the_login(fake):
    with FakeRegistry() as other:
        fake.faults = [(307, b"")]
        fake.redirects_to = other.url
        with pytest.raises(RegistryError, match="HTTP status 307"):
            ask(client(fake.url, login=BasicLogin(user="me", password=Secret("hush!"))))
        assert other.connections == 0


@pytest.mark.parametrize("shape", ["{}", '{{"message": "{}"}}'])
def test_a_secret_at_the_end_of_what_is_shown_of_an_answer_is_hidden_whole(fake, shape):
    for before in (1_990, 19_990):
        fake.faults = [(400, shape.format("x" * before + "hush-hush-hush!!" + "y" * 9).encode())]
        with pytest.raises(RegistryError) as error:
            ask(client(fake.url, login=Secret("hush-hush-hush!!")))
        assert "hush" not in str(error.value)
        assert len(str(error.value)) < 20_500
