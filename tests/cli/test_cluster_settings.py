"""Which Spark settings a run gets for which master, and what is refused before Spark starts."""

import re
import socket

import pytest

from tailrace.cli import cluster
from tailrace.cli.cluster import ClusterOptions, own_address, settings_for
from tailrace.errors import ConfigError

STANDALONE = "spark://192.0.2.1:7077"
HERE = "spark://127.0.0.1:7077"


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "spark.conf"
    path.write_text("spark.authenticate true\nspark.authenticate.secret   hidden\nspark.ui.enabled true\n# no setting\n")
    return path


@pytest.fixture(autouse=True)
def address(monkeypatch):
    monkeypatch.setattr(cluster, "own_address", lambda master: "192.0.2.9")


def conf_of(master, *conf, **options):
    return settings_for(master, ClusterOptions(conf=conf, **options)).conf


@pytest.mark.parametrize("master", ["mesos://h:1", "spark://", "local[2] ", "k8s", "", "host:7077"])
def test_an_unknown_master_is_refused_with_those_that_there_are(master):
    with pytest.raises(ConfigError, match=r"there is no such master; use local\[N\], spark://HOST:PORT"):
        settings_for(master, ClusterOptions())


@pytest.mark.parametrize("master", ["local", "local[4]", "local[*]", "local[2,1]"])
def test_on_this_machine_only_what_is_said_is_set_and_what_hides_its_secrets(master):
    assert conf_of(master) == {}
    given = conf_of(master, "spark.ui.enabled=true")
    assert (given.pop("spark.ui.enabled"), set(given)) == ("true", {"spark.redaction.regex"})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("--driver-host", {"driver_host": "h"}),
        ("--driver-port", {"driver_port": 1}),
        ("--block-manager-port", {"block_manager_port": 1}),
        ("--link-port", {"link_port": 1}),
        ("--archives", {"archives": "e.tar.gz"}),
    ],
)
def test_options_for_executors_elsewhere_are_refused_here(name, options):
    with pytest.raises(ConfigError, match=rf"{name} with --master local\[2\]"):
        settings_for("local[2]", ClusterOptions(**options))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ui.enabled=true", "--conf ui.enabled: it must be NAME=VALUE, with a name that begins with spark"),
        ("spark.ui.enabled", "--conf spark.ui.enabled: it must be NAME=VALUE"),
        ("spark.authenticate.secret=hidden", "--conf spark.authenticate.secret: everybody on this machine can see"),
        ("spark.hadoop.fs.s3a.access.key=hidden", "put it into a file that only you can read"),
        ("spark.hadoop.fs.azure.account.key.a.dfs.core.windows.net=hidden", "put it into a file"),
        ("spark.hadoop.fs.azure.sas.c.a.blob.core.windows.net=hidden", "put it into a file"),
        ("spark.hadoop.fs.gs.auth.service.account.private.key=hidden", "put it into a file"),
        ("spark.executorEnv.MYSQL_PWD=hidden", "put it into a file"),
        ("spark.executorEnv.DB_PASS=hidden", "put it into a file"),
        ("spark.executorEnv.DB_PASSWD=hidden", "put it into a file"),
        ("spark.executorEnv.JAVA_TOOL_OPTIONS=-Da.password=hidden", "put it into a file"),
        ("spark.executorEnv.HTTP_PROXY=http://me:hidden@proxy:3128", "put it into a file"),
        ("spark.sql.catalog.c.url=jdbc:x://h/db?user=me&password=hidden", "put it into a file"),
        ("spark.executor.extraJavaOptions=-Xss4m -Djavax.net.ssl.keyStorePassword=hidden", "Java's options are arguments of"),
        ("spark.driver.defaultJavaOptions=-Dhttp.proxy=http://me:hidden@proxy", "Java's options are arguments of a program"),
        ("spark.master=yarn", "spark.master is not taken from Spark's settings: --master names it"),
        ("spark.submit.deployMode=cluster", r"calls tailrace\.stream"),
        ("spark.driver.host=h", "--driver-host names it"),
        ("spark.speculation=TRUE", "spark.speculation is on"),
    ],
)
def test_settings_that_can_not_be_are_refused_and_values_are_not_shown(text, message):
    with pytest.raises(ConfigError, match=message) as raised:
        settings_for("yarn", ClusterOptions(conf=[text]))
    assert "hidden" not in str(raised.value)


@pytest.mark.parametrize("name", ["spark.executor.extraJavaOptions", "spark.driver.extraJavaOptions"])
def test_in_a_file_too_options_of_java_may_have_no_secret(tmp_path, name):
    file = tmp_path / "spark.conf"
    file.write_text(f"{name} -Xss4m -Djavax.net.ssl.keyStorePassword=hidden\nspark.executorEnv.DB_PASS hidden\n")
    with pytest.raises(ConfigError, match=rf"{name}: Java's options are arguments of a program") as raised:
        settings_for("yarn", ClusterOptions(properties_file=file))
    assert "put it into a file" not in str(raised.value)
    assert "hidden" not in str(raised.value)
    file.write_text("spark.executorEnv.DB_PASS hidden\nspark.executor.extraJavaOptions -Djavax.net.ssl.keyStore=/k\n")
    assert "spark.executorEnv.DB_PASS" in settings_for("yarn", ClusterOptions(properties_file=file)).in_file


@pytest.mark.parametrize("name", ["spark.kubernetes.executor.secrets.db", "spark.kubernetes.authenticate.oauthTokenFile"])
def test_the_place_of_a_secret_is_none(name):
    assert conf_of("yarn", f"{name}=/mnt/db")[name] == "/mnt/db"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.eventLog.dir", "abfss://logs@account.dfs.core.windows.net/events"),
        ("spark.kubernetes.container.image", "registry:5000/tailrace:1@sha256:0123"),
        ("spark.executorEnv.PATH", "/usr/bin:/opt/python@3.12/bin"),
        ("spark.executor.extraJavaOptions", "-Xss4m -Dhadoop.security.credential.provider.path=jceks://file/a -Da=b"),
        ("spark.proxy.bypass", "true"),
    ],
)
def test_what_only_looks_like_a_secret_is_taken(name, value):
    assert conf_of("yarn", f"{name}={value}")[name] == value


@pytest.mark.parametrize(
    "name",
    [
        "spark.executorEnv.MYSQL_PWD",
        "spark.executorEnv.DB_PASS",
        "spark.hadoop.fs.azure.account.key.a.dfs.core.windows.net",
        "spark.hadoop.fs.s3a.access.key",
        "spark.ssl.keyPassphrase",
        "spark.authenticate.secret",
    ],
)
def test_sparks_pages_hide_what_is_refused_as_an_argument(name):
    regex = conf_of("yarn")["spark.redaction.regex"]
    assert re.search(regex, name)
    assert not re.search(regex, "spark.executor.memory")
    with pytest.raises(ConfigError, match="put it into a file"):
        conf_of("yarn", f"{name}=hidden")
    assert conf_of("yarn", "spark.redaction.regex=mine")["spark.redaction.regex"] == "mine"


@pytest.mark.parametrize(
    ("master", "conf", "is_told"),
    [
        ("k8s://https://192.0.2.1:6443", (), True),
        ("k8s://https://192.0.2.1:6443", ("spark.authenticate.secret.file=/mnt/secret/key",), False),
        ("k8s://https://192.0.2.1:6443", ("spark.authenticate=false",), False),
        ("yarn", (), False),
    ],
)
def test_that_pod_specs_have_sparks_secret_is_told_unless_a_file_has_it(master, conf, is_told):
    notes = settings_for(master, ClusterOptions(conf=conf)).notes
    assert list(notes) == [cluster.IN_POD_SPECS] * is_told


def test_a_standalone_cluster_needs_a_secret_or_a_word_that_it_needs_none(secret):
    with pytest.raises(ConfigError, match=r"spark\.authenticate\.secret, and put both into a file for --properties-file"):
        settings_for(STANDALONE, ClusterOptions())
    settings = settings_for(STANDALONE, ClusterOptions(properties_file=secret))
    assert settings.conf["spark.network.crypto.enabled"] == settings.conf["spark.io.encryption.enabled"] == "true"
    assert "hidden" not in str(settings)
    assert set(settings.in_file) == {"spark.authenticate", "spark.authenticate.secret", "spark.ui.enabled"}
    open_ = conf_of(STANDALONE, "spark.authenticate=false")
    assert (open_["spark.authenticate"], "spark.network.crypto.enabled" in open_) == ("false", False)


@pytest.mark.parametrize("master", ["yarn", "k8s://https://192.0.2.1:6443"])
def test_clusters_that_make_a_secret_themselves_are_told_to(master):
    conf = conf_of(master)
    assert conf["spark.authenticate"] == conf["spark.network.crypto.enabled"] == "true"
    assert conf["spark.dynamicAllocation.enabled"] == "false"


def test_on_the_loopback_nothing_is_encrypted_and_nobody_else_reaches_the_driver():
    conf = conf_of(HERE)
    assert "spark.authenticate" not in conf
    assert (conf["spark.driver.host"], conf["spark.driver.bindAddress"]) == ("127.0.0.1", "127.0.0.1")


def test_the_driver_listens_on_the_address_that_is_its_own_and_else_on_all():
    assert conf_of("yarn", driver_host="127.0.0.1")["spark.driver.bindAddress"] == "127.0.0.1"
    assert conf_of("yarn")["spark.driver.host"] == "192.0.2.9"
    service = conf_of("yarn", driver_host="driver.example.invalid")
    assert (service["spark.driver.host"], service["spark.driver.bindAddress"]) == ("driver.example.invalid", "0.0.0.0")  # noqa: S104 -- what is said


def test_ports_and_the_packed_environment_become_settings():
    options = ClusterOptions(driver_port=7001, block_manager_port=7002, archives="hdfs:/e.tar.gz")
    settings = settings_for("yarn", options)
    assert settings.conf["spark.driver.port"] == "7001"
    assert settings.conf["spark.blockManager.port"] == "7002"
    assert settings.conf["spark.archives"] == "hdfs:/e.tar.gz#environment"
    assert settings.python == "./environment/bin/python"
    assert settings_for("yarn", ClusterOptions(conf=["spark.pyspark.python=/opt/python"])).python == "/opt/python"


def test_a_packed_environment_is_found_from_any_folder_and_one_that_is_not_there_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"--archives e\.tar\.gz: there is no such file; `tailrace pack e\.tar\.gz` makes it"):
        settings_for("yarn", ClusterOptions(archives="e.tar.gz"))
    (tmp_path / "e.tar.gz").touch()
    for name in ("e.tar.gz", str(tmp_path / "e.tar.gz")):
        found = settings_for("yarn", ClusterOptions(archives=name)).conf["spark.archives"]
        assert found == f"{tmp_path / 'e.tar.gz'}#environment"


@pytest.mark.parametrize(("conf", "found"), [((), "1024m"), (("spark.executor.cores=4", "spark.task.cpus=2"), "2048m")])
def test_memory_beside_javas_follows_from_the_tasks_of_an_executor(conf, found):
    assert conf_of("yarn", *conf)["spark.executor.memoryOverhead"] == found


def test_what_the_user_says_wins_over_what_would_be_set(tmp_path):
    (tmp_path / "conf").write_text("spark.executor.memoryOverhead=3g\nspark.executor.memory=2g\n")
    options = ClusterOptions(conf=["spark.executor.memory=1g"], properties_file=tmp_path / "conf")
    conf = settings_for("yarn", options).conf
    assert ("spark.executor.memoryOverhead" in conf, conf["spark.executor.memory"]) == (False, "1g")


def test_options_of_java_are_kept_for_what_must_go_with_them(tmp_path):
    name, file = "spark.driver.extraJavaOptions", tmp_path / "spark.properties"
    file.write_text(f"{name}=-XX:+UseZGC\n")
    assert settings_for("local[2]", ClusterOptions()).java_options == ""
    assert settings_for("local[2]", ClusterOptions(properties_file=file)).java_options == "-XX:+UseZGC"
    both = ClusterOptions(properties_file=file, conf=[f"{name}=-XX:+UseG1GC"])
    assert settings_for("local[2]", both).java_options == "-XX:+UseG1GC"


def test_the_own_address_is_the_one_on_the_way_to_the_master(monkeypatch):
    assert own_address(HERE) == "127.0.0.1"
    monkeypatch.setattr(socket, "gethostbyname", lambda name: "127.0.1.1")
    with pytest.raises(ConfigError, match="name it with --driver-host"):
        own_address("yarn")
