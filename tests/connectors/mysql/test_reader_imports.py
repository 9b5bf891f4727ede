"""What asks a server for a position does not load the decoders, which take a second and some hundred megabytes."""

import subprocess
import sys


def test_the_connector_and_its_plans_do_without_compiled_code():
    loaded = "import sys, tailrace.connectors.mysql.reader; print(*sorted({'numba', 'polars', 'pandas'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", loaded], check=True, capture_output=True, text=True)
    assert found.stdout.split() == []
