"""Key stores as Java's keytool writes them: `tests/data/key_stores/make.sh` made the ones that are read here."""

import datetime as dt
import hashlib
import re
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import NoEncryption, load_pem_private_key

from support.jks import jks
from tailrace.errors import ConfigError
from tailrace.jks import JksError, read_jks
from tailrace.key_stores import StoreFile, identity, read_store, trusted_certificates

STORES = Path(__file__).parent / "data" / "key_stores"
SECRET = "store-secret"
WRONG = "hunter2"


def store(file, password=SECRET, key_password=None):
    path = str(file if isinstance(file, Path) else STORES / file)
    return StoreFile(
        name="a.truststore", path=path, password=password, password_name="a.password", key_password=key_password
    )


def trusted(file, password=SECRET):
    return names(trusted_certificates(store(file, password)))


def names(pem):
    return [name_of(certificate) for certificate in x509.load_pem_x509_certificates(pem.encode())]


def name_of(certificate):
    return certificate.subject.rfc4514_string().removeprefix("CN=")


def shown(file, password=SECRET, key_password=None):
    given = store(file, password, key_password)
    return identity(given, read_store(given.name, given.path))


def refusal(act):
    with pytest.raises(ConfigError) as caught:
        act()
    message = str(caught.value)
    assert message.startswith("a.truststore: ")
    assert WRONG not in message
    assert SECRET not in message
    return message


def test_all_certificates_of_a_jks_trust_store_are_trusted():
    assert sorted(trusted("trust.jks")) == ["authority", "old", "other"]


def test_a_jks_trust_store_can_be_read_without_its_password_as_in_java():
    assert sorted(trusted("trust.jks", password=None)) == ["authority", "old", "other"]


def test_a_trust_store_of_pkcs12_by_keytool_is_read():
    assert trusted("trust.p12") == ["authority"]
    assert set(trusted("key.p12")) == {"client", "authority"}


def test_of_a_key_its_own_certificate_is_trusted_and_not_those_above_it():
    """The authority's is in the store a second time, as an entry of its own."""
    assert sorted(trusted("key.jks")) == ["authority", "client"]
    assert trusted("own-password.jks") == ["client"]


@pytest.mark.parametrize("file", ["key.jks", "key.p12", "legacy.p12"])
def test_a_key_is_shown_with_its_chain(file):
    found = shown(file)
    key = load_pem_private_key(found.key_pem(NoEncryption()).encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert key.public_key() == found.chain[0].public_key()
    assert names(found.chain_pem()) == ["client", "authority"]


def test_of_several_keys_the_first_with_a_valid_certificate_is_shown():
    assert names(shown("two-keys.jks").chain_pem()) == ["new"]


def test_a_key_may_have_a_password_of_its_own():
    assert names(shown("own-password.jks", key_password="key-secret").chain_pem()) == ["client"]
    message = refusal(lambda: shown("own-password.jks"))
    assert "the password does not open the private key" in message


@pytest.mark.parametrize("file", ["trust.jks", "key.p12", "trust.p12"])
def test_a_wrong_password_is_said_with_the_property_that_has_it(file):
    assert "a.password" in refusal(lambda: trusted(file, WRONG))


@pytest.mark.parametrize("file", ["empty.jks", "empty.p12"])
def test_an_empty_store_is_said(file):
    assert "holds no certificate" in refusal(lambda: trusted(file))
    assert "holds no private key" in refusal(lambda: shown(file))


def test_a_pem_file_without_a_certificate_is_said(tmp_path):
    (tmp_path / "key.pem").write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    assert refusal(lambda: trusted(tmp_path / "key.pem")).endswith("key.pem holds no certificate")


def test_an_empty_file_is_said(tmp_path):
    (tmp_path / "nothing").touch()
    assert refusal(lambda: trusted(tmp_path / "nothing")).endswith("nothing is empty")


def test_a_trust_store_with_no_key_identifies_nobody():
    assert "holds no private key" in refusal(lambda: shown("trust.jks"))


def test_a_store_in_which_everything_has_expired_is_said_with_the_day():
    assert re.search(r"the certificate in .*expired\.jks has expired, on \d{4}-\d\d-\d\d", refusal(lambda: trusted("expired.jks")))


def test_another_format_of_java_is_named_with_the_command_that_converts_it():
    assert "-srcstoretype JCEKS" in refusal(lambda: trusted("jceks.jks"))


def test_what_is_no_store_at_all_is_said(tmp_path):
    (tmp_path / "store.jks").write_bytes(b"something else")
    assert "neither PEM nor JKS nor PKCS12" in refusal(lambda: trusted(tmp_path / "store.jks"))


def test_a_file_that_is_not_there_is_named():
    assert refusal(lambda: trusted(Path("/no/such/store"))) == "a.truststore: /no/such/store can't be read: No such file or directory"


def test_every_truncated_or_damaged_store_is_an_error_and_no_crash():
    whole = (STORES / "key.jks").read_bytes()
    for end in range(len(whole) - 20):
        with pytest.raises(JksError):
            read_jks(whole[:end] + whole[-20:], None)
    for at in range(len(whole)):
        with pytest.raises(JksError):
            read_jks(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :], SECRET)


def test_a_damaged_key_is_an_error_and_no_crash():
    key = read_jks((STORES / "key.jks").read_bytes(), SECRET).keys[0]
    for at in range(len(key.encrypted)):
        damaged = key.encrypted[:at] + bytes([key.encrypted[at] ^ 0x21]) + key.encrypted[at + 1 :]
        try:
            assert type(key)(damaged, key.chain).opened(SECRET) == key.opened(SECRET)
        except JksError:
            continue


@pytest.mark.parametrize("password", [SECRET, None])
def test_a_certificate_of_a_version_that_nobody_knows_is_said(tmp_path, password):
    version = bytes.fromhex("a003020102")
    body = (STORES / "trust.jks").read_bytes()[:-20].replace(version, version[:-1] + b"\x06")
    digest = hashlib.sha1(SECRET.encode("utf-16-be") + b"Mighty Aphrodite" + body, usedforsecurity=False).digest()
    (tmp_path / "store").write_bytes(body + digest)
    assert "holds a certificate that can't be read: 6 is" in refusal(lambda: trusted(tmp_path / "store", password))


def test_a_key_of_a_kind_that_nobody_knows_is_said(tmp_path):
    unknown = bytes.fromhex("301002010030070605" + "2a03040506" + "04020500")
    (tmp_path / "store").write_bytes(jks(SECRET, keys=[(Der(unknown), [Der(b"certificate")])]))
    assert "can't be opened: " in refusal(lambda: shown(tmp_path / "store"))


class Der(bytes):
    """What is put into a store as it stands."""

    def private_bytes(self, *_):
        return bytes(self)

    public_bytes = private_bytes


def test_nothing_expires_soon():
    """These stores are good for a hundred years."""
    assert shown("key.jks").chain[0].not_valid_after_utc > dt.datetime(2120, 1, 1, tzinfo=dt.UTC)
