"""The archive of Spark's classes: for which Java it is, who makes it, and when it is not trusted."""

import errno
import fcntl
import os
import sys
import time

import pytest

from tailrace.starting import class_archive
from tailrace.starting.class_archive import archive_of, has_failed, in_use, make

OPTIONS = ("-XX:+UseSerialGC",)
PROGRAM = """\
import pathlib, sys
with open({count!r}, "a") as file:
    file.write("x")
{what}
"""
WRITES = "[option] = [each for each in sys.argv if 'Archive' in each or 'AOT' in each]\npathlib.Path(option.partition('=')[2]).write_text('classes')"
FAILS = "print('first line', file=sys.stderr)\nprint('no room on the disk', file=sys.stderr)\nsys.exit(3)"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tailrace"


@pytest.fixture
def jars(tmp_path):
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "spark.jar").write_text("classes")
    return folder


def a_java(folder, version, *, own_classes=True):
    for each in ("bin", "lib/server"):
        (folder / each).mkdir(parents=True)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="java.base"\n')
    (folder / "bin" / "java").write_bytes(b"\x7fELF")
    if own_classes:
        (folder / "lib" / "server" / "classes.jsa").touch()
    return folder / "bin" / "java"


@pytest.fixture
def archive(tmp_path, jars):
    return archive_of(a_java(tmp_path / "java", "17.0.15"), jars, OPTIONS)


@pytest.fixture
def training(tmp_path, monkeypatch):
    """Replaces the process that has Java write the archive."""

    def does(what):
        (tmp_path / "stand_in_for_training.py").write_text(PROGRAM.format(count=str(tmp_path / "starts"), what=what))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(class_archive, "_MODULE", "stand_in_for_training")

    return does


def starts(tmp_path):
    return len((tmp_path / "starts").read_text())


def made(archive):
    said = []
    return make(archive, lambda: said.append("begins")), said


@pytest.mark.long
def test_it_is_made_once_and_given_to_java(archive, training, tmp_path):
    training(WRITES)
    assert archive.options() == ()
    assert made(archive) == ("", ["begins"])
    assert archive.options()[0] == f"-XX:SharedArchiveFile={archive.path}"
    assert made(archive) == ("", [])
    assert (starts(tmp_path), archive.path.read_text()) == (1, "classes")
    assert oct(archive.path.stat().st_mode & 0o777) == "0o600"


@pytest.mark.long
def test_a_newer_java_has_an_ahead_of_time_cache(tmp_path, jars, training):
    training(WRITES)
    archive = archive_of(a_java(tmp_path / "25", "25.0.2", own_classes=False), jars, OPTIONS)
    assert made(archive)[0] == ""
    assert archive.options()[0] == f"-XX:AOTCache={archive.path}"


def test_a_trimmed_java_of_before_has_none(tmp_path, jars):
    assert archive_of(a_java(tmp_path / "trimmed", "17.0.15", own_classes=False), jars, OPTIONS) is None


def test_another_java_another_spark_and_other_options_have_another_one(archive, tmp_path, jars):
    java = archive.java
    found = [archive, archive_of(java, jars, OPTIONS), archive_of(java, jars, ("-XX:+UseG1GC",))]
    found.append(archive_of(a_java(tmp_path / "java 21", "21.0.1"), jars, OPTIONS))
    os.utime(jars / "spark.jar", (1, 1))
    found.append(archive_of(java, jars, OPTIONS))
    (jars / "spark.jar").rename(jars / "spark-2.jar")
    found.append(archive_of(java, jars, OPTIONS))
    (java.parents[1] / "release").write_text('JAVA_VERSION="17.0.16"\n')
    found.append(archive_of(java, jars, OPTIONS))
    assert found[0] == found[1]
    assert len({each.path for each in found}) == 6


@pytest.mark.long
def test_while_another_process_makes_it_nobody_waits(archive, training):
    training(WRITES)
    archive.path.parent.mkdir(parents=True, mode=0o700)
    with archive.path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert made(archive) == ("", [])
    assert not archive.is_there()
    assert made(archive) == ("", ["begins"])


@pytest.mark.long
def test_a_failure_says_why_and_is_remembered(archive, training):
    training(FAILS)
    why = made(archive)[0]
    assert why.startswith("no room on the disk (")
    assert has_failed(archive)
    assert not archive.is_there()
    assert [each.suffix for each in sorted(archive.path.parent.iterdir())] == [".failed", ".lock"]
    os.utime(archive.path.with_suffix(".failed"), (1, 1))
    assert not has_failed(archive)  # by now the reason may be gone
    training(WRITES)
    assert made(archive)[0] == ""
    assert not has_failed(archive)


@pytest.mark.long
def test_one_that_takes_too_long_is_a_failure(archive, training):
    training("import time; time.sleep(60)")
    assert make(archive, list, seconds=0.5).startswith("not ready within 0.5 s")
    assert has_failed(archive)


@pytest.mark.long
def test_what_others_could_have_written_is_not_given_to_java(archive, training, tmp_path):
    training(WRITES)
    made(archive)
    for path in (archive.path, archive.path.parent):
        before = path.stat().st_mode
        path.chmod(before | 0o022)
        assert archive.options() == ()
        path.chmod(before)
        assert archive.options()
    archive.path.rename(tmp_path / "elsewhere")
    archive.path.symlink_to(tmp_path / "elsewhere")
    assert archive.options() == ()


@pytest.mark.long
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_one_of_another_user_is_not_given_to_java(archive, training):
    training(WRITES)
    made(archive)
    os.chown(archive.path, 12345, 12345)
    assert archive.options() == ()


@pytest.mark.long
def test_a_folder_that_others_can_write_to_gets_none(archive, training):
    training(WRITES)
    archive.path.parent.mkdir(parents=True)
    archive.path.parent.chmod(0o777)
    assert "other users could write" in made(archive)[0]
    assert not archive.path.exists()


@pytest.mark.long
def test_where_nothing_can_be_written_the_reason_is_told(archive, training, cache):
    training(WRITES)
    cache.parent.write_text("a file where the cache should be")
    assert str(cache) in made(archive)[0]


@pytest.mark.long
def test_what_was_not_used_for_long_is_removed_when_another_is_made(archive, training):
    training(WRITES)
    folder = archive.path.parent
    folder.mkdir(parents=True, mode=0o700)
    ages = {"old.jsa": 40, "old.command": 40, "used.jsa": 20, "used.command": 40, "unfinished-1.jsa": 1}
    for name, days in ages.items():
        (folder / name).touch()
        os.utime(folder / name, (time.time() - days * 86_400,) * 2)
    made(archive)
    expected = [archive.path.name, archive.path.with_suffix(".lock").name, "used.jsa", "used.command"]
    assert sorted(each.name for each in folder.iterdir()) == sorted(expected)


@pytest.mark.long
def test_a_session_counts_as_a_use(archive, training):
    training(WRITES)
    made(archive)
    os.utime(archive.path, (1, 1))
    archive.options()
    assert archive.path.stat().st_mtime > time.time() - 60


@pytest.mark.long
def test_one_on_a_file_system_that_is_only_read_is_given_to_java(archive, training, monkeypatch):
    training(WRITES)
    make(archive, lambda: None)

    def refused(_path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "utime", refused)
    assert f"-XX:SharedArchiveFile={archive.path}" in archive.options()


def test_what_a_process_has_not_mapped_is_not_in_use(archive):
    assert in_use(os.getpid(), archive) is (False if sys.platform == "linux" else None)
    assert in_use(2**22 + 1, archive) is None  # there is no such process
