"""Small files of a run: in the cache, or, where that can't be written to, in a folder below the temporary one."""

import os
import stat
import tempfile

import pytest

from tailrace.cache import cache_folder, emptied, keep_somewhere
from tailrace.errors import ConfigError


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def unwritable(tmp_path, monkeypatch):
    """A cache below a file: nobody can write to it, root neither."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))


def test_what_is_there_is_not_written_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = keep_somewhere("workers/python", "text", mode=0o755)
    assert (kept, kept.read_text(), stat.S_IMODE(kept.stat().st_mode)) == (tmp_path / "tailrace/workers/python", "text", 0o755)
    before = kept.stat().st_ino
    assert keep_somewhere("workers/python", "text", mode=0o755).stat().st_ino == before
    assert keep_somewhere("workers/python", "other").read_text() == "other"


def test_without_a_cache_that_can_be_written_a_private_folder_has_it(unwritable, temporary):
    private = temporary / f"tailrace-{os.getuid()}"
    kept, log = keep_somewhere("workers/python", "text"), emptied("spark.log")
    assert (kept, kept.read_text()) == (private / "workers/python", "text")
    log.write_text("said")
    assert (emptied("spark.log"), log.read_text(), stat.S_IMODE(log.stat().st_mode)) == (private / "spark.log", "", 0o600)
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_where_neither_can_be_the_message_says_what_to_set(unwritable, temporary):
    (temporary / f"tailrace-{os.getuid()}").mkdir()
    (temporary / f"tailrace-{os.getuid()}").chmod(0o777)  # others could put a program there
    for make in (lambda: keep_somewhere("workers/python", "text"), lambda: emptied("spark.log")):
        with pytest.raises(ConfigError, match=r"kept nowhere: .*/file.* set XDG_CACHE_HOME or TMPDIR"):
            make()


def test_a_user_without_a_home_has_a_folder_below_the_temporary_one(temporary, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", no_home)
    assert cache_folder() == temporary / f"tailrace-{os.getuid()}"
