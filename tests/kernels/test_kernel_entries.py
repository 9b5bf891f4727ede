"""Kernels are compiled for the types that they declare, and kept in files that other processes and machines find."""

import logging
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import compiled, entry
from tailrace.kernels.dispatchers import ENTRIES
from tailrace.kernels.folders import VARIABLE
from tailrace.kernels.store import listening

HIT = """
import sys
import llvmlite.binding as llvm
llvm.get_host_cpu_name = lambda: "icelake-server"
llvm.get_host_cpu_features = lambda: llvm.FeatureMap({"avx512f": True})
from tailrace.kernels.store import listening
from tailrace.snapshot import key_set
compiled = []
with listening(lambda *told: compiled.append(told[0])):
    key_set._contains.compile(key_set._contains.declared)
print(len(compiled))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for compiled code, with nothing in it."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kernels"))
    yield tmp_path / "kernels"
    for made in [each for each in ENTRIES if each.__module__ == __name__]:
        ENTRIES.remove(made)


@pytest.fixture
def told():
    """The names and types of what is compiled in a test."""
    found = []
    with listening(lambda kernel, types, seconds: found.append((kernel, types))):
        yield found


def total(values, times):
    found = 0
    for value in values:
        found += value * times
    return found


def new_entry():
    return entry(arg.READ_INTS, arg.INT)(total)


def test_arrays_that_can_and_can_not_be_written_and_narrow_numbers_share_the_declared_types(folder, told):
    kernel = new_entry()
    values = np.arange(4)
    fixed = np.frombuffer(values.tobytes(), np.int64)
    assert not fixed.flags.writeable
    assert [kernel(values, 2), kernel(fixed, 2), kernel(values, np.int32(3)), kernel(fixed, True)] == [12, 12, 18, 6]
    assert told == [(kernel.kernel, str(kernel.declared))]


def test_what_does_not_convert_is_compiled_for_its_own_types_and_says_so_in_the_log(folder, caplog):
    kernel = new_entry()
    with caplog.at_level(logging.WARNING):
        assert kernel(np.arange(4.0), 2) == 12.0
    assert f"compiled the kernel {kernel.kernel} in " in caplog.text
    assert len(kernel.overloads) == 1
    assert kernel.declared not in kernel.overloads


def test_the_next_process_finds_it_whatever_the_times_of_files(folder, told, tmp_path, monkeypatch):
    assert new_entry()(np.arange(3), 1) == 3
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied, copy_function=shutil.copyfile)
    monkeypatch.setenv(VARIABLE, str(copied))
    assert new_entry()(np.arange(3), 1) == 3
    assert len(told) == 1


def test_a_damaged_file_is_compiled_again(folder, told, caplog):
    assert new_entry()(np.arange(3), 1) == 3
    (kept,) = [path for path in folder.rglob("*") if path.is_file()]
    kept.write_bytes(kept.read_bytes()[:-1])
    assert new_entry()(np.arange(3), 1) == 3
    assert len(told) == 2
    assert "is damaged" in caplog.text
    assert new_entry()(np.arange(3), 1) == 3
    assert len(told) == 2


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is the machine's own processor")
def test_code_of_a_machine_is_found_on_one_with_another_processor(folder):
    run = [sys.executable, "-c", HIT]
    environment = {**os.environ, VARIABLE: str(folder)}
    assert subprocess.run(run, capture_output=True, text=True, check=True, env=environment).stdout == "1\n"
    other = HIT.replace("icelake-server", "znver3").replace("avx512f", "avx2")
    run = [sys.executable, "-c", other]
    assert subprocess.run(run, capture_output=True, text=True, check=True, env=environment).stdout == "0\n"


def test_where_nothing_can_be_written_kernels_work_without_files(tmp_path, monkeypatch, told):
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    assert new_entry()(np.arange(3), 1) == 3
    assert len(told) == 1


def test_a_part_is_compiled_once_for_all_constants(folder):
    @compiled
    def plus(a, b):
        return a + b

    def both(a):
        return plus(a, 1) + plus(a, 2) + plus(3, a)

    assert entry(arg.INT)(both)(10) == 36
    assert len(plus.overloads) == 1
