"""Fetching jars: whole or not at all, once for all who ask. A script stands in for Spark's, which would download."""

import threading

import pytest

from tailrace_standins.servers import java_jars
from tailrace_standins.servers.java_jars import Unavailable, fetched_jars, jar_cache, jars_of_spark
from tailrace_standins.servers.kafka_jars import broker_jars

PACKAGE = "org.example:thing:1.0"
COPIES = (
    'echo called >> "$SPARK_HOME/calls"; mkdir -p "$ivy/jars" "$ivy/cache"; touch "$ivy/jars/org.example_thing-1.0.jar"'
)
FAILS = 'mkdir -p "$ivy/jars"; touch "$ivy/jars/half.jar"; echo ":: org.example#thing;1.0: not found" >&2; exit 1'


@pytest.fixture
def spark(tmp_path, monkeypatch):
    """Makes the script that is called in place of `spark-submit`; `$ivy` is the folder that jars are to go to."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = tmp_path / "spark"
    monkeypatch.setattr(java_jars, "_spark_home", lambda: home)
    monkeypatch.setattr(java_jars, "_java_for_spark", lambda: tmp_path / "java")

    def make(action):
        script = home / "bin" / "spark-submit"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(
            f'#!/bin/bash\nfor a in "$@"; do case $a in spark.jars.ivy=*) ivy=${{a#*=}};; esac; done\n{action}\n'
        )
        script.chmod(0o755)
        return home

    return make


def test_jars_are_fetched_once_and_kept(spark):
    home = spark(COPIES)
    assert [jar.name for jar in fetched_jars("thing-1.0", [PACKAGE])] == ["org.example_thing-1.0.jar"]
    assert fetched_jars("thing-1.0", [PACKAGE])
    assert (home / "calls").read_text() == "called\n"


def test_a_failed_download_says_why_and_leaves_nothing(spark):
    spark(FAILS)
    with pytest.raises(Unavailable, match=r"org.example:thing:1.0 could not be fetched: .*not found"):
        fetched_jars("thing-1.0", [PACKAGE])
    assert [path.name for path in jar_cache().iterdir()] == ["thing-1.0.lock"]


def test_after_a_failed_download_the_next_one_succeeds(spark):
    spark(FAILS)
    with pytest.raises(Unavailable):
        fetched_jars("thing-1.0", [PACKAGE])
    spark(COPIES)
    assert len(fetched_jars("thing-1.0", [PACKAGE])) == 1


def test_what_a_killed_download_left_does_not_count(spark):
    spark(COPIES)
    for name in ("thing-1.0", "thing-1.0.unfinished-abc"):
        (jar_cache() / name / "jars").mkdir(parents=True)
        (jar_cache() / name / "jars" / "half.jar").touch()
    assert [jar.name for jar in fetched_jars("thing-1.0", [PACKAGE])] == ["org.example_thing-1.0.jar"]
    assert not (jar_cache() / "thing-1.0.unfinished-abc").exists()


def test_many_who_ask_at_once_cause_one_download(spark):
    home = spark(f"sleep 0.3; {COPIES}")
    got = []
    threads = [threading.Thread(target=lambda: got.append(len(fetched_jars("thing-1.0", [PACKAGE])))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert got == [1, 1, 1, 1]
    assert (home / "calls").read_text() == "called\n"


def test_without_java_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(java_jars, "java_home", lambda: None)
    with pytest.raises(Unavailable, match=r"tailrace\[java\]"):
        java_jars.needed_java()


def test_a_given_folder_without_a_broker_is_refused(tmp_path, monkeypatch):
    (tmp_path / "other.jar").touch()
    monkeypatch.setenv("TAILRACE_KAFKA_JARS", str(tmp_path))
    with pytest.raises(Unavailable, match="holds no jar of a Kafka broker"):
        broker_jars()


def test_a_given_folder_with_a_broker_is_taken_as_it_is(tmp_path, monkeypatch):
    for name in ("kafka_2.13-4.3.1.jar", "scala-library-2.13.18.jar"):
        (tmp_path / name).touch()
    monkeypatch.setenv("TAILRACE_KAFKA_JARS", str(tmp_path))
    assert [jar.name for jar in broker_jars()] == ["kafka_2.13-4.3.1.jar", "scala-library-2.13.18.jar"]


def test_spark_brings_the_scala_library_that_the_broker_needs():
    assert len(jars_of_spark("scala-library-2.13.*.jar")) == 1
