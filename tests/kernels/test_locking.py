"""A lock that a file stands for, which goes away with it."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tailrace.kernels import locking
from tailrace.kernels.locking import locked

pytestmark = pytest.mark.skipif(not locking._HAS_LOCKS, reason="this system has no such locks")


def test_one_at_a_time_holds_it_though_each_removes_the_file(tmp_path):
    inside, most = [], []

    def hold(_):
        with locked(tmp_path / "lock"):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.001)
            inside.pop()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hold, range(400)))
    assert set(most) == {1}
    assert not (tmp_path / "lock").exists()


def test_who_waits_says_so(tmp_path):
    waited = []
    with ThreadPoolExecutor(1) as pool, locked(tmp_path / "lock"):

        def take():
            with locked(tmp_path / "lock", lambda: waited.append(1)):
                return "taken"

        taken = pool.submit(take)
        while not waited:
            assert not taken.done()
            time.sleep(0.001)
    assert taken.result(10) == "taken"


def test_where_no_file_can_be_made_nothing_is_held(tmp_path):
    with locked(tmp_path / "no folder" / "lock"), locked(tmp_path / "no folder" / "lock"):
        assert not (tmp_path / "no folder").exists()
