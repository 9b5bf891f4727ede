"""What a session's Java is started with, and how it got Spark's classes."""

import os

import pytest

from tailrace.starting import class_archive, session_java
from tailrace.starting.class_archive import archive_of
from tailrace.starting.session_java import OPTIONS, archive_of_session, how_started, make_archive, options_beside


@pytest.mark.spark
def test_sessions_of_the_suite_begin_with_the_archive(spark):
    archive = archive_of_session()
    if archive is None or not archive.is_there():
        pytest.skip("this Java has none, or another process is making it")
    pid = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
    if str(archive.path) not in " ".join(arguments(spark)):
        pytest.skip("this session was started before it was made")
    assert how_started(pid, archive) == f"Spark's classes come from the archive {archive.path}"


def arguments(spark):
    return list(spark.sparkContext._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments())


def test_it_is_told_how_classes_came_and_why(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    home = tmp_path / "java"
    for each in ("bin", "lib/server", "jars"):
        (home / each).mkdir(parents=True)
    (home / "release").write_text('JAVA_VERSION="25.0.2"\n')
    (home / "bin" / "java").touch()
    archive = archive_of(home / "bin" / "java", home / "jars", ())
    assert "can't keep them" in how_started(os.getpid(), None)
    assert "there is no archive" in how_started(os.getpid(), archive)
    archive.path.parent.mkdir(parents=True, mode=0o700)
    archive.path.touch(mode=0o600)
    assert "does not accept" in how_started(os.getpid(), archive)
    assert "does not tell" in how_started(2**22 + 1, archive)


def test_a_collector_of_the_users_own_takes_the_place_of_ours(monkeypatch):
    for name in ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    assert options_beside("-Dx=y -XX:+UseStringDeduplication") == OPTIONS
    others = tuple(option for option in OPTIONS if option != "-XX:+UseSerialGC")
    assert options_beside("-Dx=y -XX:+UseG1GC") == others
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+UseParallelGC")
    assert options_beside("") == others


def test_where_there_is_no_java_nothing_is_made_and_nothing_raised(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("tailrace.java._bundled_java", lambda: None)
    said = []
    make_archive(said.append)
    assert len(said) == 1
    assert "Spark needs Java 17 or newer" in said[0]


def test_it_is_said_before_it_is_made_and_a_failure_is_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(class_archive, "_MODULE", "there_is_no_such_module")
    if archive_of_session() is None:
        pytest.skip("this Java has no archive")
    said = []
    make_archive(said.append)
    assert said[0] == session_java.MAKING
    assert said[1].startswith("no archive of Spark's classes: ")
    assert "there_is_no_such_module" in said[1]
    make_archive(said.append)
    assert len(said) == 2
