"""Spark's Java, started without Spark's scripts: with the command that these would run, and only where nothing configures Spark."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from support.every_scenario import only_with_all
from tailrace.starting.class_archive import ClassArchive
from tailrace.starting.direct_java import is_plain, start_java
from tailrace.starting.session_java import archive_is_missing, archive_of_session, options_beside, spark_jars

LAUNCHER = """#!/bin/sh
echo asked >> {folder}/asked
printf '\\0\\n'
printf '%s\\0' {folder}/program -cp classes @options@ Submit --conf spark.driver.defaultJavaOptions=@options@ pyspark-shell
"""
PROGRAM = """#!/bin/sh
printf '%s\\n' "$@" > {folder}/arguments
echo "$SPARK_HOME" "$PYTHONHASHSEED" > {folder}/environment
exec sleep 100
"""


@pytest.fixture
def java(tmp_path):
    """Stands for a Java: as the launcher it says a command, whose program notes what it is given."""
    for name, text in (("java", LAUNCHER), ("program", PROGRAM)):
        (tmp_path / name).write_text(text.format(folder=tmp_path))
        (tmp_path / name).chmod(0o755)
    return tmp_path / "java"


@pytest.fixture
def archive(java, tmp_path):
    return ClassArchive(tmp_path / "cache" / "name.jsa", java)


@pytest.fixture
def start(archive, tmp_path):
    started = []

    def make(*options):
        (tmp_path / "environment").unlink(missing_ok=True)
        with (tmp_path / "output").open("wb") as output:
            found = start_java(archive, tmp_path / "spark" / "jars", options, output)
        if found is not None:
            started.append(found)
            deadline = time.monotonic() + 20
            while not (tmp_path / "environment").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
        return found

    yield make
    for each in started:
        each.discard()


def test_the_command_is_asked_for_once_and_has_the_options_of_each_session(start, archive, tmp_path):
    start("-Xss4m", "-Dfile=a b").discard()
    given = (tmp_path / "arguments").read_text().splitlines()
    assert given[:3] == [f"@{archive.path.with_suffix('.classpath')}", "-Xss4m", "-Dfile=a b"]
    assert given[3:] == ["Submit", "--conf", "spark.driver.defaultJavaOptions=-Xss4m '-Dfile=a b'", "pyspark-shell"]
    assert (tmp_path / "environment").read_text() == f"{tmp_path / 'spark'} 0\n"
    start("-Xss8m")
    assert (tmp_path / "asked").read_text() == "asked\n"


@pytest.mark.parametrize("suffix", [".command", ".classpath"])
def test_what_others_could_have_written_is_not_run(start, archive, tmp_path, suffix):
    start("-Xss4m").discard()
    file = archive.path.with_suffix(suffix)
    file.write_text(json.dumps(["/bin/false", "@options@", "spark.driver.defaultJavaOptions=@options@", "pyspark-shell"]))
    file.chmod(0o666)
    start("-Xss8m")
    assert (tmp_path / "asked").read_text() == "asked\nasked\n"


@pytest.mark.skipif(shutil.which("java") is None, reason="needs a java on the path")
def test_jars_that_a_session_has_no_use_for_are_left_out_and_java_reads_the_others_names(start, java, archive, tmp_path):
    jars = tmp_path / 'sp"ar\\k j'
    jars.mkdir()
    for name in ("spark-core_2.13-4.jar", "spark-mllib_2.13-4.jar", "spark-mllib-local_2.13-4.jar", "own.jar", "notes.txt"):
        (jars / name).touch()
    java.write_text(java.read_text().replace("classes", shlex.quote(f"conf:{jars}/*")))
    start().discard()
    file = archive.path.with_suffix(".classpath")
    shown = subprocess.run(
        ["java", f"@{file}", "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=60, check=True
    )
    names = shown.stderr.partition("java.class.path = ")[2].partition("java.class.version")[0].split("\n")
    assert [each.strip() for each in names if each.strip()] == [
        "conf", *(f"{jars}/{name}" for name in ("own.jar", "spark-core_2.13-4.jar", "spark-mllib-local_2.13-4.jar"))
    ]


@pytest.mark.parametrize("said", ["exit 1", "echo nothing", "printf '\\0\\n'; printf 'java\\0-cp\\0classes\\0'"])
def test_where_the_launcher_says_something_else_pyspark_is_to_start_java(start, java, archive, said):
    java.write_text(f"#!/bin/sh\n{said}\n")
    assert start("-Xss4m") is None
    assert not archive.path.with_suffix(".command").exists()


def test_one_that_has_ended_instead_is_told_and_leaves_nothing(start, tmp_path):
    started = start("-Xss4m")
    folder = started._folder
    started.process.kill()
    assert started.connect() is None
    assert not folder.exists()


def test_a_cache_that_was_copied_elsewhere_names_its_own_files(start, java, archive, tmp_path):
    start("-Xss4m").discard()
    copied = ClassArchive(tmp_path / "copy" / archive.path.name, java)
    shutil.copytree(archive.path.parent, copied.path.parent)
    with (tmp_path / "output").open("wb") as output:
        (tmp_path / "arguments").unlink()
        found = start_java(copied, tmp_path / "spark" / "jars", ["-Xss8m"], output)
    deadline = time.monotonic() + 20
    while not (tmp_path / "arguments").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    found.discard()
    assert (tmp_path / "arguments").read_text().splitlines()[:2] == [f"@{copied.path.with_suffix('.classpath')}", "-Xss8m"]


@pytest.mark.parametrize("name", ["SPARK_CONF_DIR", "SPARK_SUBMIT_OPTS", "PYSPARK_SUBMIT_ARGS", "HADOOP_CONF_DIR"])
def test_where_something_configures_spark_its_own_scripts_are_run(monkeypatch, name):
    for each in [each for each in os.environ if each.startswith(("SPARK_", "PYSPARK_", "HADOOP_", "YARN_"))]:
        monkeypatch.delenv(each)  # a session of this process leaves some
    for each in ("SPARK_LOCAL_IP", "SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"):  # which a session leaves behind
        monkeypatch.setenv(each, "1")
    before = is_plain(spark_jars())
    monkeypatch.setenv(name, "something")
    assert (before, is_plain(spark_jars())) == (True, False)


@pytest.fixture
def spark_home(tmp_path, monkeypatch):
    """The installed pyspark by another name, as SPARK_HOME of an image, with a folder of settings of its own."""
    for each in [each for each in os.environ if each.startswith(("SPARK_", "PYSPARK_", "HADOOP_", "YARN_"))]:
        monkeypatch.delenv(each)
    (tmp_path / "spark").symlink_to(spark_jars().parent)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    return tmp_path / "spark"


def test_the_installed_spark_may_go_by_another_name_and_one_elsewhere_may_not(spark_home, tmp_path, monkeypatch):
    assert is_plain(spark_jars())
    (tmp_path / "other" / "jars").mkdir(parents=True)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "other"))
    assert not is_plain(spark_jars())


@pytest.mark.parametrize("name", ["spark-defaults.conf", "spark-env.sh"])
def test_where_a_file_configures_spark_its_own_scripts_are_run(tmp_path, name):
    (tmp_path / "conf").mkdir()
    assert is_plain(tmp_path / "jars") == is_plain(spark_jars())
    (tmp_path / "conf" / name).touch()
    assert not is_plain(tmp_path / "jars")


def test_a_collector_that_is_chosen_anywhere_is_the_only_one(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert "-XX:+UseSerialGC" in options_beside("")
    (tmp_path / "spark-defaults.conf").write_text("spark.driver.extraJavaOptions -XX:+UseG1GC\n")
    assert "-XX:+UseSerialGC" not in options_beside("")
    (tmp_path / "spark-defaults.conf").unlink()
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-XX:+UseG1GC")
    assert "-XX:+UseSerialGC" not in options_beside("")


@pytest.mark.parametrize("damage", ["", "{", '["java"]', "[]", "7"])
def test_a_command_that_was_damaged_is_asked_for_again(start, archive, tmp_path, damage):
    start("-Xss4m").discard()
    archive.path.with_suffix(".command").write_text(damage)
    start("-Xss8m").discard()
    assert (tmp_path / "asked").read_text() == "asked\nasked\n"
    assert (tmp_path / "arguments").read_text().splitlines()[1] == "-Xss8m"


def test_a_program_that_is_gone_is_replaced_by_the_java_of_today(start, java, archive, tmp_path):
    start("-Xss4m").discard()
    (tmp_path / "program").rename(tmp_path / "moved")
    java.unlink()
    java.symlink_to(tmp_path / "moved")
    start("-Xss8m")
    assert (tmp_path / "arguments").read_text().splitlines()[1] == "-Xss8m"


SESSION = """
import sys, time
from pyspark import SparkContext
from tailrace.cli import java_start, session
from tailrace.cli.session_settings import own_settings
makes, makers = SparkContext._initialize_context, []
SparkContext._initialize_context = lambda self, conf: makers.append("pyspark") or makes(self, conf)
if sys.argv[1] == "broken":
    begun = java_start.start()
    begun.process.kill()
    begun.process.wait()
if sys.argv[1] in ("early", "connected", "dead", "other", "closed"):
    begun = java_start.start()
    wanted = own_settings("local[3]" if sys.argv[1] == "other" else "local[2]")
    while not begun.begin_session(wanted):
        time.sleep(0.01)
    if sys.argv[1] in ("connected", "other"):
        begun.connect()
    if sys.argv[1] == "dead":
        begun.process.kill()
        print(begun.connect())
    if sys.argv[1] == "closed":
        begun._session._socket.shutdown(2)
spark = session.start_session()
context = spark.sparkContext
found = spark.conf.get("spark.sql.shuffle.partitions"), context.getConf().get("spark.sql.artifact.isolation.enabled")
print(spark.range(7).count(), *found, context.master, begun_by(spark), *makers)
"""
BEGUN = "def begun_by(spark):\n    return spark.sparkContext._gateway.proc.args[0].rpartition('/')[2]\n"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("how", "makers"),
    [
        ("whole", "java pyspark"),
        ("broken", "spark-submit pyspark"),
        ("early", "java"),
        pytest.param("connected", "java", marks=only_with_all),
        ("dead", "spark-submit pyspark"),
        pytest.param("other", "java pyspark", marks=only_with_all),
        pytest.param("closed", "spark-submit pyspark", marks=only_with_all),
    ],
)
def test_a_session_is_the_same_whoever_has_started_java_and_made_it(how, makers):
    if not is_plain(spark_jars()) or archive_of_session() is None:
        pytest.skip("something configures Spark here, or this Java has no archive")
    done = subprocess.run([sys.executable, "-c", BEGUN + SESSION, how], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.splitlines()[-1] == f"7 1 false local[2] {makers}"


@pytest.mark.spark
def test_a_run_that_ends_early_ends_java_too(tmp_path):
    if not is_plain(spark_jars()) or archive_is_missing():
        pytest.skip("Java is not started early here")
    code = "import tailrace.cli.main as m, tailrace.cli.java_start as s\ntry:\n    m.main()\nfinally:\n    print(s._started.process.pid)"
    config = tmp_path / "c.json"
    config.write_text("{}")
    command = [sys.executable, "-c", code, "run", str(config), "--to", "console"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    pid = int(done.stdout)
    with suppress(psutil.NoSuchProcess):
        assert "java" not in psutil.Process(pid).name()


@pytest.mark.spark
@pytest.mark.parametrize(
    ("number", "code", "later"),
    [
        (signal.SIGINT, 130, 0.2),
        (signal.SIGTERM, -signal.SIGTERM, 1.0),
        pytest.param(signal.SIGINT, 130, 1.0, marks=only_with_all),
        pytest.param(signal.SIGTERM, -signal.SIGTERM, 0.2, marks=only_with_all),
    ],
)
def test_a_signal_while_java_starts_ends_all_at_once_and_leaves_nothing(tmp_path, number, code, later):
    if not is_plain(spark_jars()) or archive_is_missing():
        pytest.skip("Java is not started early here")
    config = tmp_path / "c.json"
    config.write_text("{}")
    program = "from tailrace.cli import early_start as e, main\nimport time\n"
    program += "e._connect = lambda java: time.sleep(60)\nmain.main()"
    places = tmp_path / "t"
    places.mkdir()
    run = subprocess.Popen(
        [sys.executable, "-c", program, "run", str(config), "--to", "console"], env={**os.environ, "TMPDIR": str(places)}
    )
    deadline = time.monotonic() + 60
    while not psutil.Process(run.pid).children() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(later)
    children = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(number)
    assert run.wait(10) == code
    _, alive = psutil.wait_procs(children, 10)
    assert alive == []
    assert [each.name for each in places.iterdir() if each.name.startswith(("tailrace-java-", "tailrace-fork-"))] == []
