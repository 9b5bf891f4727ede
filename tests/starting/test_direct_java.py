"""Spark's Java, started without Spark's scripts: with the command that these would run, and only where nothing configures Spark."""

import json
import os
import subprocess
import sys
import time

import psutil
import pytest

from tailrace.starting.class_archive import ClassArchive
from tailrace.starting.direct_java import is_plain, start_java
from tailrace.starting.session_java import archive_is_missing, archive_of_session

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


def test_the_command_is_asked_for_once_and_has_the_options_of_each_session(start, tmp_path):
    start("-Xss4m", "-Dfile=a b").discard()
    given = (tmp_path / "arguments").read_text().splitlines()
    assert given[:4] == ["-cp", "classes", "-Xss4m", "-Dfile=a b"]
    assert given[4:] == ["Submit", "--conf", "spark.driver.defaultJavaOptions=-Xss4m -Dfile=a b", "pyspark-shell"]
    assert (tmp_path / "environment").read_text() == f"{tmp_path / 'spark'} 0\n"
    start("-Xss8m")
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_a_command_that_others_could_have_written_is_not_run(start, archive, tmp_path):
    start("-Xss4m").discard()
    file = archive.path.with_suffix(".command")
    file.write_text(json.dumps(["/bin/false", "@options@", "spark.driver.defaultJavaOptions=@options@", "pyspark-shell"]))
    file.chmod(0o666)
    start("-Xss8m")
    assert (tmp_path / "asked").read_text() == "asked\nasked\n"


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


@pytest.mark.parametrize("name", ["SPARK_CONF_DIR", "SPARK_HOME", "SPARK_SUBMIT_OPTS", "PYSPARK_SUBMIT_ARGS", "HADOOP_CONF_DIR"])
def test_where_something_configures_spark_its_own_scripts_are_run(monkeypatch, name):
    for each in [each for each in os.environ if each.startswith(("SPARK_", "PYSPARK_", "HADOOP_", "YARN_"))]:
        monkeypatch.delenv(each)  # a session of this process leaves some
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    before = is_plain()
    monkeypatch.setenv(name, "something")
    assert (before, is_plain()) == (True, False)


SESSION = """
import sys
from tailrace.cli import java_start, session
from tailrace.starting import direct_java
if sys.argv[1] == "broken":
    begun = java_start.start()
    begun.process.kill()
    begun.process.wait()
spark = session.start_session()
print(spark.range(7).count(), spark.conf.get("spark.sql.shuffle.partitions"), spark.sparkContext.master, begun_by(spark))
"""
BEGUN = "def begun_by(spark):\n    return spark.sparkContext._gateway.proc.args[0].rpartition('/')[2]\n"


@pytest.mark.spark
@pytest.mark.parametrize(("how", "program"), [("whole", "java"), ("broken", "spark-submit")])
def test_a_session_is_the_same_whoever_has_started_java(how, program):
    if not is_plain() or archive_of_session() is None:
        pytest.skip("something configures Spark here, or this Java has no archive")
    done = subprocess.run([sys.executable, "-c", BEGUN + SESSION, how], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.splitlines()[-1] == f"7 1 local[2] {program}"


@pytest.mark.spark
def test_a_run_that_ends_early_ends_java_too(tmp_path):
    if not is_plain() or archive_is_missing():
        pytest.skip("Java is not started early here")
    code = "import tailrace.cli.main as m, tailrace.cli.java_start as s\ntry:\n    m.main()\nfinally:\n    print(s._started.process.pid)"
    config = tmp_path / "c.json"
    config.write_text("{}")
    command = [sys.executable, "-c", code, "run", str(config), "--to", "console"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    pid = int(done.stdout)
    assert not psutil.pid_exists(pid) or "java" not in psutil.Process(pid).name()
