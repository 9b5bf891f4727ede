"""Code pages of libraries are given back, and the libraries go on working."""

import subprocess
import sys

import pytest

CODE = """
import re
import numba, numpy
from tailrace.starting import library_pages

def resident():
    kb, counts = 0, False
    for line in open("/proc/self/smaps"):
        if re.match(r"[0-9a-f]+-", line):
            counts = " r-xp " in line and "llvmlite" in line
        elif counts and line.startswith("Rss:"):
            kb += int(line.split()[1])
    return kb

@numba.njit
def square(x):
    return x * x

first, before = square(3), resident()
given = library_pages.give_back()
after = resident()
print(before, after, given >> 10, first, square(2.5), int(numpy.eye(9).sum()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is given back")
def test_code_is_unmapped_and_runs_again():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120, check=True)
    before, after, given, *results = done.stdout.split()
    assert int(after) < int(before) / 4
    assert int(given) > int(before) - int(after)
    assert results == ["9", "6.25", "9"]


def test_elsewhere_nothing_is_done():
    code = "import sys; sys.platform = 'darwin'\nfrom tailrace.starting.library_pages import give_back\nprint(give_back())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"
