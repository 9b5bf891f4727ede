"""What librdkafka frees is used again by the process."""

import os
import platform
import subprocess
import sys

import pytest

from tailrace.kafka.allocator import FROM_SYSTEM, SET_BY

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")

FAULTS = f"""
import ctypes, resource
from tailrace.kafka.allocator import keep_freed_memory

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    held = [libc.malloc({FROM_SYSTEM // 4}) for _ in range(4)]
    for each in held:
        ctypes.memset(each, 1, {FROM_SYSTEM // 4})
    for each in held:
        libc.free(each)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

kept = keep_freed_memory()
faults()
print(kept, faults())
"""


def run(**extra):
    env = {name: value for name, value in os.environ.items() if name not in SET_BY} | extra
    kept, faults = subprocess.run(
        [sys.executable, "-c", FAULTS], env=env, check=True, capture_output=True, text=True
    ).stdout.split()
    return kept == "True", int(faults)


def test_memory_of_batches_is_not_taken_from_the_system_again():
    kept, faults = run()
    assert kept
    assert faults < 20


@pytest.mark.parametrize("name", SET_BY)
def test_what_the_user_has_set_stays(name):
    """One MiB from the system each time, as that user wants it."""
    value = "glibc.malloc.mmap_threshold=131072" if name == "GLIBC_TUNABLES" else "131072"
    kept, faults = run(**{name: value})
    assert not kept
    assert name == "MALLOC_TRIM_THRESHOLD_" or faults > 900
