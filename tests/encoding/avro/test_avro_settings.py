"""The properties of the two Avro converters: what they do, what is refused, what has no effect, what is unknown."""

import pickle

import pytest

from tailrace.config.problems import Problems
from tailrace.config.property import Status
from tailrace.encoding.avro import apicurio_properties, confluent_properties
from tailrace.encoding.avro.encoder import avro_encoder_for, schema_ids_for
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.settings import avro_converter_settings, tables_of
from tailrace.encoding.registered.framing import Framing
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.registry.apicurio import ApicurioSchemaIds, ArtifactStrategy
from tailrace.registry.confluent import ConfluentSchemaIds
from tailrace.registry.connection import BasicLogin, OAuthLogin
from tailrace.registry.subjects import Strategy

CONFLUENT, APICURIO = confluent_properties.CLASS, apicurio_properties.CLASS
URL = {"schema.registry.url": "http://a:8081"}
V3 = {"apicurio.registry.url": "http://a:8080/apis/registry/v3"}
OAUTH = {
    "bearer.auth.credentials.source": "OAUTHBEARER",
    "bearer.auth.issuer.endpoint.url": "https://login.example/token",
    "bearer.auth.client.id": "me",
    "bearer.auth.client.secret": "hush!",
}


def confluent(part="value", **given):
    return avro_converter_settings(CONFLUENT, part, URL | {name.replace("__", "."): text for name, text in given.items()})


def read(given, part="value"):
    return avro_converter_settings(CONFLUENT, part, URL | given)


def apicurio(given, part="value"):
    return avro_converter_settings(APICURIO, part, V3 | {f"apicurio.registry.{name}": text for name, text in given.items()})


def test_defaults_are_those_of_confluents_converter():
    found = read({})
    assert (found.ids.register, found.ids.use_latest, found.ids.use_id, found.ids.strategy) == (True, False, None, Strategy.TOPIC)
    assert (found.framing, found.options, found.warnings) == (Framing.PREFIX_4, AvroOptions(), ())
    assert (found.connection.retries, found.connection.wait, found.connection.read_timeout) == (3, 1.0, 60.0)
    assert isinstance(schema_ids_for(found), ConfluentSchemaIds)


def test_defaults_are_those_of_apicurios_converter():
    found = apicurio({})
    assert (found.ids.register, found.ids.use_latest, found.ids.global_ids, found.ids.if_exists) == (
        False,
        False,
        False,
        "FIND_OR_CREATE_VERSION",
    )
    assert (found.framing, found.options.bare_bytes, found.connection.wait) == (Framing.PREFIX_4, False, 0.3)
    assert isinstance(schema_ids_for(found), ApicurioSchemaIds)


@pytest.mark.parametrize(
    ("given", "attribute", "expected"),
    [
        ({"connect.meta.data": "false"}, "meta_data", False),
        ({"enhanced.avro.schema.support": "true"}, "enums", True),
        ({"scrub.invalid.names": "true"}, "scrub", True),
        ({"allow.optional.map.keys": "true"}, "optional_map_keys", True),
        ({"discard.type.doc.default": "true"}, "old_docs", True),
        ({"ignore.default.for.nullables": "true"}, "keep_nulls", True),
    ],
)
def test_each_option_of_schemas_and_values_has_its_property(given, attribute, expected):
    assert getattr(read(given).options, attribute) is expected


@pytest.mark.parametrize(
    ("given", "attribute", "expected"),
    [
        ({"auto.register.schemas": "false"}, "register", False),
        ({"use.schema.id": "7", "auto.register.schemas": "false"}, "use_id", 7),
        ({"use.latest.version": "true", "auto.register.schemas": "false"}, "use_latest", True),
        ({"latest.cache.ttl.sec": "60"}, "latest_seconds", 60.0),
        ({"normalize.schemas": "true"}, "normalize", True),
        ({"propagate.schema.tags": "true"}, "propagate_tags", True),
        ({"value.subject.name.strategy": "RecordNameStrategy"}, "strategy", Strategy.RECORD),
        (
            {"value.subject.name.strategy": "io.confluent.kafka.serializers.subject.AssociatedNameStrategy"},
            "strategy",
            Strategy.ASSOCIATED,
        ),
        ({"key.subject.name.strategy": "RecordNameStrategy"}, "strategy", Strategy.TOPIC),
        ({"subject.name.strategy.fallback.type": "NONE"}, "fallback", None),
        ({"subject.name.strategy.kafka.cluster.id": "lkc-1"}, "cluster", "lkc-1"),
    ],
)
def test_each_way_to_an_id_has_its_property(given, attribute, expected):
    assert getattr(read(given).ids, attribute) == expected


@pytest.mark.parametrize(
    ("given", "attribute", "expected"),
    [
        ({"auto-register": "true"}, "register", True),
        ({"auto-register.if-exists": "CREATE_VERSION"}, "if_exists", "CREATE_VERSION"),
        ({"find-latest": "true"}, "use_latest", True),
        ({"check-period-ms": "5"}, "latest_seconds", 0.005),
        ({"use-id": "globalId"}, "global_ids", True),
        ({"dereference-schema": "true"}, "whole", True),
        ({"canonicalize": "true"}, "canonicalize", True),
        (
            {"artifact-resolver-strategy": "io.apicurio.registry.serde.avro.strategy.RecordIdStrategy"},
            "strategy",
            ArtifactStrategy.RECORD,
        ),
        ({"artifact.group-id": "g"}, "group", "g"),
        ({"artifact.artifact-id": "x"}, "artifact", "x"),
        ({"artifact.version": "3"}, "version", "3"),
    ],
)
def test_each_way_to_an_artifact_has_its_property(given, attribute, expected):
    assert getattr(apicurio(given).ids, attribute) == expected


@pytest.mark.parametrize(
    ("given", "framing"),
    [
        ({"headers.enabled": "true"}, Framing.CONTENT_ID_HEADER),
        ({"headers.enabled": "true", "use-id": "globalId"}, Framing.GLOBAL_ID_HEADER),
        ({"id-handler": "io.apicurio.registry.serde.Legacy8ByteIdHandler"}, Framing.PREFIX_8),
    ],
)
def test_where_apicurios_ids_stand_follows_from_the_properties(given, framing):
    assert apicurio(given).framing is framing


def test_confluents_ids_may_stand_in_headers_of_one_part():
    given = {"value.schema.id.serializer": "io.confluent.kafka.serializers.schema.id.HeaderSchemaIdSerializer"}
    assert (read(given).framing, read(given, "key").framing) == (Framing.GUID_HEADER, Framing.PREFIX_4)


@pytest.mark.parametrize("info", ["basic.auth.user.info", "schema.registry.basic.auth.user.info"])
def test_user_and_password_are_in_a_property_of_either_name(info):
    login = read({"basic.auth.credentials.source": "USER_INFO", info: "me:a:b"}).connection.login
    assert (login.user, login.password.reveal()) == ("me", "a:b")


def test_user_and_password_in_the_url_are_taken_out_of_it():
    found = read({"schema.registry.url": "https://me:p%40w@a:8081, http://b:1/contexts/:.x:/"}).connection
    assert found.urls == ("https://a:8081", "http://b:1/contexts/:.x:")
    assert isinstance(found.login, BasicLogin)
    assert found.login.password.reveal() == "p@w"


def test_a_time_out_of_zero_is_none_as_in_java():
    found = read({"http.connect.timeout.ms": "0", "http.read.timeout.ms": "0"}).connection
    assert (found.connect_timeout, found.read_timeout) == (3600.0, 3600.0)


@pytest.mark.parametrize("behind", ["?key=hush!", "/?key=hush!", "#hush!"])
def test_what_stands_behind_a_registrys_url_is_refused_and_not_shown(behind):
    for reading, name, url in ((read, "schema.registry.url", "http://a"), (apicurio, "url", "http://a/apis/registry/v3")):
        with pytest.raises(ConfigError, match=r"registry\.url: an item has a query or a fragment") as error:
            reading({name: url + behind})
        assert "hush" not in str(error.value)


def test_a_token_may_be_given_or_fetched_with_the_headers_of_confluent_cloud():
    assert read({"bearer.auth.token": "tok"}).connection.login.reveal() == "tok"
    found = read(OAUTH | {"bearer.auth.scope": "s", "bearer.auth.logical.cluster": "lsrc-1"}).connection
    assert isinstance(found.login, OAuthLogin)
    assert (found.login.scope, found.login.early, dict(found.headers)) == ("s", 300, {"target-sr-cluster": "lsrc-1"})


def test_apicurios_logins():
    basic = apicurio({"auth.username": "me", "auth.password": "hush!"}).connection.login
    assert (basic.user, basic.password.reveal()) == ("me", "hush!")
    given = {"auth.service.token.endpoint": "https://l/t", "auth.client.id": "me", "auth.client.secret": "x"}
    assert apicurio(given | {"auth.client.scope": "s"}).connection.login.scope == "s"


def test_stores_and_requests():
    tls = "schema.registry.ssl."
    found = read(
        {
            f"{tls}truststore.location": "/t.jks",
            f"{tls}truststore.password": "pw",
            f"{tls}keystore.location": "/k.p12",
            f"{tls}key.password": "own",
            f"{tls}endpoint.identification.algorithm": "",
            "request.header.X-Key": "v",
            "proxy.host": "p",
            "proxy.port": "3128",
            "http.read.timeout.ms": "500",
            "max.retries": "0",
        }
    ).connection
    assert (found.trust.trusted.path, found.trust.trusted.password, found.trust.check_host) == ("/t.jks", "pw", False)
    assert (found.trust.own.key_password, dict(found.headers), found.proxy) == ("own", {"X-Key": "v"}, ("p", 3128))
    assert (found.read_timeout, found.retries) == (0.5, 0)


def test_settings_can_be_pickled_and_show_no_secret():
    given = OAUTH | {"request.header.X": "hush!", "schema.registry.ssl.truststore.password": "hush!",
                     "schema.registry.ssl.truststore.location": "/t"}  # fmt: skip
    found = read(given)
    assert "hush!" not in repr(found)
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
    avro_encoder_for(found).close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"schema.registry.url": ""}, "schema.registry.url is missing"),
        ({"schema.registry.url": "a:8081"}, "must be a URL"),
        ({"schema.registry.url": "mock://x"}, "for tests"),
        ({"auto.register.schemas": "yes"}, "must be true or false"),
        ({"value.subject.name.strategy": "com.example.Mine"}, "no such class is known"),
        ({"basic.auth.credentials.source": "SASL_INHERIT"}, "set USER_INFO"),
        ({"basic.auth.credentials.source": "USER_INFO"}, "basic.auth.user.info must be user:password"),
        ({"bearer.auth.credentials.source": "CUSTOM"}, "Java classes can't run here"),
        ({"bearer.auth.credentials.source": "STATIC_TOKEN"}, "bearer.auth.token is missing"),
        ({"bearer.auth.credentials.source": "OAUTHBEARER"}, "bearer.auth.issuer.endpoint.url is missing"),
        ({"proxy.host": "p"}, "proxy.port is missing"),
        ({"bearer.auth.token": "hush!\n"}, "bearer.auth.token can't be sent"),
        ({"bearer.auth.token": "hush!\u20ac"}, "bearer.auth.token can't be sent"),
        ({"request.header.X-Key": "hush!\r\nX: y"}, "request.header.X-Key can't be sent"),
    ],
)
def test_what_is_wrong_is_told_by_the_name_of_the_property(given, message):
    with pytest.raises(ConfigError, match=r"value\.converter") as error:
        read(given)
    assert message in str(error.value)
    assert "hush!" not in str(error.value)


@pytest.mark.parametrize(
    "name", ["use.schema.guid", "use.latest.with.metadata", "rule.executors", "rule.service.loader.enable", "context.name.strategy"]
)
def test_what_is_not_supported_is_refused_by_name(name):
    with pytest.raises(UnsupportedError, match=f"value.converter.{name} is not supported: "):
        read({name: "x"})


def test_harmless_values_of_refused_properties_are_none():
    assert read({"validation.rules.execution": "DISABLED", "schema.backup.enabled": "false"}).warnings == ()


@pytest.mark.parametrize("older", ["http://a/apis/registry/v2", "http://a/api", "http://a/api/"])
def test_of_apicurios_api_version_3_is_asked_also_where_an_older_one_is_named(older):
    settings = avro_converter_settings(APICURIO, "key", {"apicurio.registry.url": older})
    assert settings.connection.urls == ("http://a/apis/registry/v3",)
    (warning,) = settings.warnings
    assert warning.startswith("key.converter.apicurio.registry.url names an older version of the API")
    with pytest.raises(ConfigError, match="that is no URL of Apicurio's API: http://HOST:PORT/apis/registry/v3"):
        avro_converter_settings(APICURIO, "key", {"apicurio.registry.url": "http://a/apis/ccompat/v7"})


def test_what_has_no_effect_is_a_warning_with_the_reason():
    problems = Problems()
    found = avro_converter_settings(CONFLUENT, "key", URL | {"schemas.enable": "true", "use.latest.version": "true"}, problems)
    assert found.warnings == tuple(problems.warnings)
    assert "key.converter.schemas.enable has no effect" in problems.warnings[0]
    assert "auto.register.schemas=true goes before it" in problems.warnings[1]


def test_an_unknown_name_that_is_nearly_a_property_is_an_error():
    with pytest.raises(ConfigError, match=r"auto\.register\.schema is no property .* did you mean value\.converter\.auto\."):
        read({"auto.register.schema": "x"})
    assert read({"something.else": "x"}).warnings == ("value.converter.something.else is no property of this converter",)


@pytest.mark.parametrize("converter", [CONFLUENT, APICURIO])
def test_every_property_has_a_sentence_and_every_other_a_reason(converter):
    for each in (*tables_of(converter).properties, *tables_of(converter).families):
        assert each.doc.endswith((".", "`.")), each.name
        assert each.status is Status.WORKS or each.reason, each.name
