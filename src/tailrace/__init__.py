"""tailrace: change data capture on Spark, in Python."""

from tailrace.kernels.cache import use_writable_directory

__version__ = "0.1.0"

use_writable_directory()  # before anything imports numba, which reads its settings once
