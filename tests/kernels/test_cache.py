"""Where compiled code is kept."""

import os
import stat

from tailrace.kernels.cache import choose


def missing(tmp_path):
    return tmp_path / "missing"


def test_numba_finds_a_place_itself_where_the_package_or_the_home_can_be_written(tmp_path):
    assert choose(tmp_path, missing(tmp_path), tmp_path) is None
    assert choose(missing(tmp_path), tmp_path, tmp_path) is None


def test_otherwise_it_is_a_private_directory_that_the_next_process_uses_again(tmp_path):
    found = choose(missing(tmp_path), missing(tmp_path), tmp_path)
    assert found is not None
    assert found.parent == tmp_path
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    assert choose(missing(tmp_path), missing(tmp_path), tmp_path) == found


def test_a_directory_that_others_can_write_to_is_not_trusted(tmp_path):
    found = choose(missing(tmp_path), missing(tmp_path), tmp_path)
    found.chmod(0o777)
    other = choose(missing(tmp_path), missing(tmp_path), tmp_path)
    assert other != found
    assert stat.S_IMODE(other.stat().st_mode) == 0o700


def test_a_link_in_its_place_is_not_followed(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / f"tailrace-{os.getuid()}").symlink_to(target)
    assert choose(missing(tmp_path), missing(tmp_path), tmp_path).resolve() != target


