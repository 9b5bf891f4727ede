"""Where compiled kernels are looked for, and where new ones go."""

import os
import stat
import sys
from pathlib import Path

import pytest

from tailrace.cache import private_folder
from tailrace.kernels import baseline, folders
from tailrace.kernels.store import Store


@pytest.fixture
def bases(tmp_path, monkeypatch):
    """Three places: below the first two nothing can be made, below the third it can."""
    monkeypatch.delenv(folders.VARIABLE, raising=False)
    (tmp_path / "file").touch()
    places = [tmp_path / "file" / "a", tmp_path / "file" / "b", tmp_path / "c"]
    monkeypatch.setattr(folders, "_bases", lambda: iter(places))
    return places


def test_new_ones_go_to_the_first_folder_that_can_be_made_and_all_are_looked_in(bases):
    assert folders.folders() == [place / folders.environment() for place in bases]
    assert folders.writable_folder() == bases[2] / folders.environment()


def test_the_users_choice_is_the_only_one(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path))
    assert folders.folders() == [tmp_path / folders.environment()]


@pytest.mark.parametrize("is_checkout", [True, False])
def test_only_an_installed_package_has_them_beside_it(tmp_path, monkeypatch, is_checkout):
    monkeypatch.delenv(folders.VARIABLE, raising=False)
    monkeypatch.setattr(folders, "_SOURCES", tmp_path)
    if is_checkout:
        (tmp_path / "pyproject.toml").touch()
    beside = Path(folders.__file__).parent / "__pycache__"
    assert (beside / folders.environment() in folders.folders()) is not is_checkout


def test_the_private_folder_is_used_again(tmp_path):
    found = private_folder(tmp_path)
    assert found is not None
    assert found.parent == tmp_path
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    assert private_folder(tmp_path) == found


def test_a_folder_that_others_can_write_to_is_not_trusted(tmp_path):
    private_folder(tmp_path).chmod(0o777)
    assert private_folder(tmp_path) is None


def test_a_link_in_its_place_is_not_followed(tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / f"tailrace-{os.getuid()}").symlink_to(tmp_path / "target")
    assert private_folder(tmp_path) is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make another user's files")
@pytest.mark.parametrize("what", ["others can write", "a group can write", "another user's", "a link"])
def test_where_others_can_write_or_have_written_this_user_has_a_folder_of_its_own(tmp_path, monkeypatch, what):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path))
    monkeypatch.setattr(folders, "_owners", lambda: frozenset({0}))
    shared = tmp_path / folders.environment()
    shared.mkdir(mode=0o755)
    assert folders.folders() == [shared]
    if what == "a link":
        shared.rename(tmp_path / "elsewhere")
        shared.symlink_to(tmp_path / "elsewhere")
    elif what == "another user's":
        os.chown(shared, 65534, 65534)
    else:
        shared.chmod(0o757 if what == "others can write" else 0o775)
    own = tmp_path / f"{folders.environment()}-0"
    assert (folders.folders(), folders.writable_folder()) == ([own], own)
    own.chmod(0o777)
    assert (folders.folders(), folders.writable_folder()) == ([], None)


def test_what_is_made_no_group_can_write_to(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path / "new"))
    before = os.umask(0)
    try:
        found = folders.writable_folder()
    finally:
        os.umask(before)
    assert stat.S_IMODE(found.stat().st_mode) == 0o755


@pytest.mark.parametrize(("mode", "is_found"), [(0o644, True), (0o600, True), (0o664, False), (0o646, False)])
def test_a_kernel_that_others_can_write_to_is_not_run(tmp_path, monkeypatch, mode, is_found):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path))
    file = folders.writable_folder() / "kernel"
    file.touch()
    file.chmod(mode)
    assert Store("module", "name")._found("kernel") == (file if is_found else None)


FLAGS = "fpu sse sse2 pni ssse3 cx16 sse4_1 sse4_2 movbe popcnt xsave avx f16c lahf_lm abm bmi1 avx2 bmi2 fma"


@pytest.mark.parametrize(("flags", "fits"), [(FLAGS, True), (f"{FLAGS} avx512f", True), (FLAGS.replace(" bmi2", ""), False)])
def test_the_baseline_is_for_processors_that_have_all_of_it(tmp_path, flags, fits):
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t: none\n")
    assert baseline.has_level(tmp_path / "cpuinfo") is fits
    assert not baseline.has_level(tmp_path / "missing")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is the machine's own processor")
def test_numba_is_told_the_baseline_unless_the_user_chose_a_processor(monkeypatch):
    monkeypatch.setattr(baseline, "baseline", lambda: "x86-64-v3")
    monkeypatch.setattr(os, "environ", {})
    baseline.use_baseline()
    assert os.environ == {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    monkeypatch.setattr(os, "environ", {"NUMBA_CPU_NAME": "znver4"})
    baseline.use_baseline()
    assert os.environ == {"NUMBA_CPU_NAME": "znver4"}
